import { defineConfig } from "vitest/config";
import { TableReporter } from "./table-reporter.ts";

export default defineConfig({
  test: {
    include: ["test/bench/**/*.bench.ts"],
    globalSetup: ["test/bench/global-setup.ts"],
    reporters: ["default", new TableReporter()],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // One at a time: concurrent measurements would measure each other.
    maxWorkers: 1,
    fileParallelism: false,
    pool: "forks",
  },
});
