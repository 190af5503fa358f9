import type { OutboundEvent } from "../../contract/outbound-events.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { currentFindings, type Findings, stoppedWorkers } from "./findings.ts";
import { createStartupGrace } from "./health-interval.ts";
import { lockReportedHealth, type ReportedHealth, storeReportedHealth } from "./health-repository.ts";
import type { OverallStatus } from "./overall.ts";

const badness: Readonly<Record<OverallStatus, number>> = { healthy: 0, degraded: 1, unhealthy: 2 };

/**
 * Creates the function that checks the overall health: it emits `system_health_changed` if the health differs from the stored one, and
 * resolves to whether it did. If processes differ, the worst value counts, and only its reporter may take it back while it lives. While
 * the database is down, the change is remembered with its time and emitted on recovery. An unhealthy part right after the start counts as
 * starting.
 */
export function createHealthReport(
  context: OperationContext,
  runtime: Runtime,
  options: {
    readonly processId: string;
    /** Called with the findings of each check. */
    readonly onFindings?: (findings: Findings) => void;
  },
): (signal: AbortSignal) => Promise<boolean> {
  const { db, clock } = context;
  const isReportable = createStartupGrace(context);
  let outage: { readonly since: Date; readonly message: string } | undefined;

  return async (signal) => {
    const findings = await currentFindings(context, runtime);
    if (signal.aborted) return false;
    options.onFindings?.(findings);
    if (!findings.database.ok) {
      outage ??= { since: findings.timestamp, message: messageOf(findings) };
      return false;
    }
    if (!isReportable(findings.overall)) return false;
    const emitted = await db.transaction(async (sql) => {
      const stored = await lockReportedHealth(sql);
      const now = clock.now();
      const events = changesSince(stored, { findings, outage, now, processId: options.processId });
      if (stored === undefined || events.length > 0) {
        await storeReportedHealth(sql, { status: findings.overall, processId: options.processId, changedAt: findings.timestamp });
      }
      await emit(sql, events, now);
      return events.length > 0;
    });
    outage = undefined;
    return emitted;
  };
}

function mayReport(stored: ReportedHealth, status: OverallStatus, processId: string): boolean {
  return stored.processId === processId || !stored.reporterLives || badness[status] > badness[stored.status];
}

function changesSince(
  stored: ReportedHealth | undefined,
  seen: {
    readonly findings: Findings;
    readonly outage: { readonly since: Date; readonly message: string } | undefined;
    readonly now: Date;
    readonly processId: string;
  },
): readonly OutboundEvent[] {
  // The very first check has nothing to compare with.
  if (!stored) return [];
  const { findings, outage, now } = seen;
  const change = (status: OverallStatus, previous: OverallStatus, message: string, changedAt: Date): OutboundEvent => ({
    type: "system_health_changed",
    eventId: "system",
    data: { status, previous_status: previous, message, changed_at: changedAt, reported_at: now },
  });
  // A value was stored since then: another process that lost the same database has reported it.
  if (outage && stored.status !== "unhealthy" && stored.changedAt <= outage.since) {
    const span = `from ${outage.since.toISOString()} to ${findings.timestamp.toISOString()}`;
    return [
      change("unhealthy", stored.status, outage.message, outage.since),
      change(findings.overall, "unhealthy", `The database was out of reach ${span}. ${messageOf(findings)}`, findings.timestamp),
    ];
  }
  if (stored.status === findings.overall || !mayReport(stored, findings.overall, seen.processId)) return [];
  return [change(findings.overall, stored.status, messageOf(findings), findings.timestamp)];
}

/** Summarises everything unhealthy in a sentence. */
function messageOf(findings: Findings): string {
  const { database, store, upstreams, workers, lowDisks } = findings;
  const reasons = [
    ...(database.ok ? [] : [`database: ${database.error}`]),
    ...(store.ok ? [] : [`store: ${store.error}`]),
    ...(upstreams.ok
      ? upstreams.value.filter(({ healthy }) => !healthy).map(({ name, error }) => `${name}: ${error ?? "not healthy"}`)
      : [`AI services: ${upstreams.error}`]),
    ...stoppedWorkers(workers).map(({ name, message }) => `${name}: ${message ?? "does not run"}`),
    ...lowDisks,
  ];
  return reasons.length === 0 ? "Everything works" : reasons.join("; ");
}
