import { defineConfig } from "vitest/config";

/**
 * `npm run package-check`: the checks of `npm test`, then the steps of the package and of the image carried out. Takes some minutes and
 * needs the registry.
 */
export default defineConfig({
  test: {
    include: ["test/packaging/*.test.ts", ...["installed", "readme", "upgrade"].map((name) => `test/packaging/long/${name}.ts`)],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    pool: "forks",
  },
});
