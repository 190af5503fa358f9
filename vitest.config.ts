import { statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Set by those npm scripts that run a long form. */
const longForms = ["CHAOS", "FUZZ", "SOAK_MINUTES", "SCALE_OUT", "TEST_REDIS", "CONFORMANCE", "DEGRADED_MATRIX", "COMMANDS"];

/** Tests make a hundred databases: where memory serves as a disk and has room for them, nobody waits for a real one. */
function memoryDisk(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize > 4e9 ? "/dev/shm" : undefined;
  } catch {
    return undefined;
  }
}

const isLong = longForms.some((name) => name in process.env);

if (process.env["TMPDIR"] === undefined && !isLong) {
  const folder = memoryDisk();
  if (folder !== undefined) process.env["TMPDIR"] = folder;
}

/**
 * Each of these files has a process to itself: what is one of its own in the product changes what a whole process can do, what measures processor
 * time or memory must not measure what others left, and a Redis that is away is asked again after its test.
 */
const alone = [
  ...["test/daemon/builtin/**/*.test.ts", "test/fuzz/**/*.test.ts", "test/alerting/templates/{properties,escapes}.test.ts"],
  ...[
    "test/daemon/file-watcher/bursts.test.ts",
    "test/monitoring/upstream/answer.test.ts",
    "test/monitoring/detector-model/model-file.test.ts",
  ],
  ...["test/daemon/http/export.test.ts", "test/platform/store/hand-over.test.ts"],
];

export default defineConfig({
  test: {
    // for two cores: tests wait half of their time, the long forms do not; each file may start its own PostgreSQL
    maxWorkers: isLong ? 2 : 3,
    pool: "forks",
    globalSetup: ["test/support/global-setup.ts"],
    projects: [
      // modules are loaded once for all files of a process
      { extends: true, test: { name: "together", include: ["test/**/*.test.ts"], exclude: ["test/bench/**", ...alone], isolate: false } },
      { extends: true, test: { name: "alone", include: alone } },
    ],
    setupFiles: ["test/support/leave-nothing.ts", "test/support/seed.ts"],
    testTimeout: 30_000,
    // what a test has to be quick in says so itself
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
});
