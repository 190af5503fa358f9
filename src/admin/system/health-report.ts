import type { OutboundEvent } from "../../contract/outbound-events.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { currentFindings, type Findings, stoppedWorkers } from "./findings.ts";
import { lockReportedHealth, type ReportedHealth, storeReportedHealth } from "./health-repository.ts";
import type { OverallStatus } from "./overall.ts";
import { createStartPatience } from "./rounds.ts";

const badness: Readonly<Record<OverallStatus, number>> = { healthy: 0, degraded: 1, unhealthy: 2 };

/**
 * Makes a look at the overall health: emits `system_health_changed` when it is another than the stored one, and resolves to
 * whether it did. Of processes that differ the worst counts, and only who reported it may take it back while it lives. While
 * the database is down nothing can be stored: the change is remembered with its time and emitted on recovery. What is
 * not well at the start yet is taken for still starting.
 */
export function createHealthReport(
  context: OperationContext,
  runtime: Runtime,
  options: {
    readonly processId: string;
    /** Hears what each look found. */
    readonly onFindings?: (findings: Findings) => void;
  },
): (signal: AbortSignal) => Promise<boolean> {
  const { db, clock } = context;
  const isToBeTold = createStartPatience(context);
  let outage: { readonly since: Date; readonly message: string } | undefined;

  return async (signal) => {
    const findings = await currentFindings(context, runtime);
    if (signal.aborted) return false;
    options.onFindings?.(findings);
    if (!findings.database.ok) {
      outage ??= { since: findings.timestamp, message: messageOf(findings) };
      return false;
    }
    if (!isToBeTold(findings.overall)) return false;
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
  // the first look ever has nothing to compare with
  if (!stored) return [];
  const { findings, outage, now } = seen;
  const change = (status: OverallStatus, previous: OverallStatus, message: string, changedAt: Date): OutboundEvent => ({
    type: "system_health_changed",
    eventId: "system",
    data: { status, previous_status: previous, message, changed_at: changedAt, reported_at: now },
  });
  // a value stored since then: another process that lost the same database has told of it
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

/** Everything that is not well, in a sentence. */
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
