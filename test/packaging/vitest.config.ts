import { defineConfig } from "vitest/config";

/** `npm run package-check`: what `npm test` looks at, and the package and the image's steps carried out. Takes some minutes, and the registry. */
export default defineConfig({
  test: {
    include: ["test/packaging/*.test.ts", "test/packaging/long/installed.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    pool: "forks",
  },
});
