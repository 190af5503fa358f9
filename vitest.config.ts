import { statfsSync } from "node:fs";
import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Set by those npm scripts that run a long form. */
const longForms = [
  "CHAOS",
  "FUZZ",
  "SOAK_MINUTES",
  "SCALE_OUT",
  "TEST_REDIS",
  "CONFORMANCE",
  "DEGRADED_MATRIX",
  "COMMANDS",
  "ATTACKS",
  "WEB_LIMITS",
  "FIRST_USE",
];

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
 * Each of these files has a process to itself, which costs 4 s of processor time for the modules: they measure memory, or processor time
 * against a short limit, or leave a Redis client that retries after its test.
 */
const alone = [
  "test/attacks/**/*.test.ts",
  ...["test/daemon/builtin/**/*.test.ts", "test/fuzz/{answers,backups,ftp,mail,pictures}.test.ts"],
  ...["test/alerting/templates/{properties,escapes}.test.ts", "test/daemon/file-watcher/bursts.test.ts"],
  ...[
    "test/monitoring/upstream/answer.test.ts",
    "test/daemon/http/export.test.ts",
    "test/daemon/live/flood.test.ts",
    "test/platform/store/dispatcher.test.ts",
  ],
];

/** Files that take more than 5 s alone on two cores: `npm run check` leaves them out, `npm test` starts with them. */
const slow = [
  "test/admin/analytics/rollups.test.ts",
  "test/admin/backup/another-home.test.ts",
  "test/admin/backup/backup.test.ts",
  "test/admin/backup/processes.test.ts",
  "test/admin/doctor/command.test.ts",
  "test/admin/doctor/data.test.ts",
  "test/admin/doctor/elsewhere.test.ts",
  "test/admin/doctor/upstreams.test.ts",
  "test/admin/retention/cleanup.test.ts",
  "test/admin/retention/disk-pressure.test.ts",
  "test/admin/retention/lock-order.test.ts",
  "test/admin/retention/schedule.test.ts",
  "test/admin/system/config.test.ts",
  "test/admin/system/daemon.test.ts",
  "test/admin/system/selftest.test.ts",
  "test/alerting/alert-receiver/receiver.test.ts",
  "test/alerting/alerts/cooldown.test.ts",
  "test/alerting/notifications/smtp.test.ts",
  "test/alerting/recipients/crash.test.ts",
  "test/alerting/rules/replay-as-live.test.ts",
  "test/alerting/silences/daemon.test.ts",
  "test/alerting/webhooks/delivery.test.ts",
  "test/alerting/webhooks/emission.test.ts",
  "test/commands/connect.test.ts",
  "test/commands/discover.test.ts",
  "test/commands/events.test.ts",
  "test/commands/every.test.ts",
  "test/commands/live/live.test.ts",
  "test/commands/live/tmux.test.ts",
  "test/commands/setup.test.ts",
  "test/conformance/cursor-walks.test.ts",
  "test/conformance/endpoints.test.ts",
  "test/conformance/rules.test.ts",
  "test/daemon/builtin/detector.test.ts",
  "test/daemon/builtin/own-model.test.ts",
  "test/daemon/builtin/spawn.test.ts",
  "test/daemon/file-watcher/arrivals.test.ts",
  "test/daemon/file-watcher/bursts.test.ts",
  "test/daemon/file-watcher/outcomes.test.ts",
  "test/daemon/file-watcher/passed-over.test.ts",
  "test/daemon/file-watcher/recordings.test.ts",
  "test/daemon/full-disk-start.test.ts",
  "test/daemon/hang-up.test.ts",
  "test/daemon/http/export.test.ts",
  "test/daemon/hung-folder.test.ts",
  "test/daemon/live/hub.test.ts",
  "test/daemon/live/tail.test.ts",
  "test/daemon/mqtt/mqtt.test.ts",
  "test/daemon/mqtt/restarts.test.ts",
  "test/daemon/pipeline.test.ts",
  "test/daemon/reload/certificate.test.ts",
  "test/daemon/reload/configuration.test.ts",
  "test/daemon/reload/watch-files.test.ts",
  "test/daemon/signals.test.ts",
  "test/daemon/workers/supervisor.test.ts",
  "test/degraded/hung.test.ts",
  "test/degraded/matrix.test.ts",
  "test/fuzz/alertmanager.test.ts",
  "test/fuzz/backups.test.ts",
  "test/fuzz/http.test.ts",
  "test/monitoring/bulk/detections.test.ts",
  "test/monitoring/events/search.test.ts",
  "test/monitoring/images/video.test.ts",
  "test/monitoring/incidents/from-pictures.test.ts",
  "test/monitoring/incidents/silence.test.ts",
  "test/monitoring/pulls/stream.test.ts",
  "test/monitoring/scenes/watch.test.ts",
  "test/monitoring/upstream/answer.test.ts",
  "test/pipeline/enrichment/faults.test.ts",
  "test/pipeline/enrichment/pipeline.test.ts",
  "test/platform/database/embedded-postgres.test.ts",
  "test/platform/database/pool.test.ts",
  "test/scale-out/split.test.ts",
  "test/soak/soak.test.ts",
  "test/work/journal/publisher.test.ts",
  ...["ftp", "http", "mail", "pull"].map((name) => `test/daemon/receivers/${name}.test.ts`),
  ...["hostile", "keyboard", "limits", "lookback", "pages", "reference"].map((name) => `test/web/${name}.test.ts`),
  ...["roles", "rules", "settings", "share", "system", "tasks", "welcome"].map((name) => `test/web/${name}.test.ts`),
  ...["alerts", "backlog", "clock", "database", "deliveries", "kill", "nth-fault", "notifications"].map(
    (name) => `test/chaos/${name}.test.ts`,
  ),
  ...["phones", "store", "uploads"].map((name) => `test/chaos/${name}.test.ts`),
];

const leftOut = "CHECK" in process.env ? slow : [];

/** Starts with the slow files, so that none of them runs last while the other processes have nothing left to do. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isQuick = ({ moduleId }: TestSpecification): number => Number(!slow.includes(relative(import.meta.dirname, moduleId)));
    return (await super.sort(files)).toSorted((a, b) => a.project.name.localeCompare(b.project.name) || isQuick(a) - isQuick(b));
  }
}

export default defineConfig({
  test: {
    // for two cores: tests wait half of their time, the long forms do not; each file may start its own PostgreSQL
    maxWorkers: isLong ? 2 : 4,
    pool: "forks",
    globalSetup: ["test/support/global-setup.ts"],
    projects: [
      // modules are loaded once for all files of a process
      {
        extends: true,
        test: { name: "together", include: ["test/**/*.test.ts"], exclude: ["test/bench/**", ...alone, ...leftOut], isolate: false },
      },
      { extends: true, test: { name: "alone", include: alone, exclude: leftOut } },
    ],
    coverage: { include: ["bin/**", "commands/**", "daemon/**", "src/**"], reporter: ["text-summary", "html"] },
    sequence: { sequencer: SlowFirst },
    setupFiles: ["test/support/leave-nothing.ts", "test/support/seed.ts"],
    // a slow machine gets its time; what a test has to be quick in says so itself
    testTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 180_000,
  },
});
