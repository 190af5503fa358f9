import type { Log } from "../../src/base/log/log.ts";
import type { JournalEntry } from "../../src/contract/live.ts";
import type { SelftestReport } from "../../src/work/selftest/stages.ts";
import type { RecentEvents } from "../health/recent-events.ts";
import type { Metrics } from "../metrics/metrics.ts";

/** Creates the reporter of failed self-tests: in the log, in the recent events of the health reply and live; it also reports recovery. */
export function createSelftestAlarm(options: {
  readonly log: Log;
  readonly recentEvents: RecentEvents;
  readonly announce: (entry: JournalEntry) => Promise<void>;
  readonly metrics: Pick<Metrics, "selftested">;
}): (report: SelftestReport) => Promise<void> {
  const { log, recentEvents, announce, metrics } = options;
  let failingSince: Date | undefined;
  const notify = (report: SelftestReport, startedAt: Date): Promise<void> =>
    announce({
      type: "infrastructure_alert",
      data: {
        alertname: "HomesecSelftestFailed",
        status: report.status === "failed" ? "firing" : "resolved",
        severity: "critical",
        component: "homesec",
        summary: report.status === "failed" ? "The self-test failed: pictures may not become alerts" : "The self-test passes again",
        description: report.message,
        started_at: startedAt,
        fingerprint: "homesec-selftest",
        receiver: "homesec",
      },
    });
  return async (report) => {
    metrics.selftested(report.status === "passed");
    if (report.status === "failed") {
      failingSince ??= report.started_at;
      log.error({ reason: report.message }, "the self-test failed");
      recentEvents.add("selftest", "failure", report.message);
      await notify(report, failingSince);
      return;
    }
    log.info({ duration_ms: report.duration_ms }, "the self-test passed");
    if (failingSince === undefined) return;
    const since = failingSince;
    failingSince = undefined;
    recentEvents.add("selftest", "recovery", report.message);
    await notify(report, since);
  };
}
