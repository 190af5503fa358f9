import { defineConfig } from "vitest/config";

/** `npm run release-record`: keeps what a release leaves behind, for `upgrade.test.ts` of all later ones. */
export default defineConfig({
  test: {
    include: ["test/releases/record.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 300_000,
    pool: "forks",
  },
});
