import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // of `npm run chaos`, what has no short form
    exclude: ["test/bench/**", ...(process.env["CHAOS"] === "long" ? [] : ["test/chaos/long/**"])],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // two cores, and each file may start its own PostgreSQL
    maxWorkers: 2,
    pool: "forks",
  },
});
