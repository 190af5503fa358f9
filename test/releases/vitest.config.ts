import { defineConfig } from "vitest/config";

/** `npm run release-record`: records the data of a release for `upgrade.test.ts` of all later ones. */
export default defineConfig({
  test: {
    include: ["test/releases/record.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 300_000,
    pool: "forks",
  },
});
