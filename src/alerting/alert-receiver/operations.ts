import { z } from "zod";
import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { KeyInstant } from "../../contract/cursor.ts";
import type { alertReceiverRoutes } from "../../contract/routes/alert-receiver.ts";
import type { Database } from "../../platform/database/database.ts";
import { readPage } from "../../platform/database/keyset.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { type AlertFacts, broadcastOf, factsOf, logLevelOf, whyUnstorable } from "./received-alert.ts";
import { type CountedAlert, countReceivedAlerts, listReceivedAlerts, storeAlerts } from "./received-alerts-repository.ts";

const Key = z.tuple([KeyInstant, z.string(), KeyInstant, z.enum(["firing", "resolved"])]).readonly();

/** Alerts stored per transaction: a message of 8 MiB holds many thousands. */
const alertsAtOnce = 500;

/** The use cases of the alert receiver. */
export const alertReceiverOperations: Pick<Operations, keyof typeof alertReceiverRoutes> = {
  /**
   * Logs each alert first, in any case, and stores it together with the message for live clients, which the publisher sends after the
   * reply. If the database is away, the reply is an error, and the alert manager sends everything again.
   */
  receiveAlerts: async ({ body }, { db, clock, log }) => {
    const alerts = body.alerts.map((alert) => factsOf(body, alert));
    for (const alert of alerts) logAlert(log, alert);
    const problems = alerts.map(whyUnstorable);
    for (const [index, why] of problems.entries()) {
      if (why) log.warn({ position: index, alertname: alerts[index]?.alertname }, `a received alert is not stored: ${why}`);
    }
    const storable = alerts.filter((_, index) => problems[index] === undefined);
    for (let at = 0; at < storable.length; at += alertsAtOnce) {
      await store({ db, clock }, storable.slice(at, at + alertsAtOnce));
    }
    const unstored = alerts.length - storable.length;
    return {
      status: unstored === 0 ? "ok" : "partial",
      received: alerts.length,
      processed: storable.length,
      message: messageOf(
        alerts.length,
        problems.find((why) => why !== undefined),
        unstored,
        body.truncatedAlerts,
      ),
    };
  },

  listReceivedAlerts: async ({ query }, { db }) => {
    const filter = { status: query.status, severity: query.severity, from: query.start_date, to: query.end_date };
    return await readPage(db, query, {
      name: "received-alerts",
      key: Key,
      rows: (sql, slice) => listReceivedAlerts(sql, filter, slice),
      count: (sql) => countReceivedAlerts(sql, filter),
    });
  },
};

function logAlert(
  log: Log,
  { alertname, status, severity, component, camera_id, fingerprint, receiver, summary, ...facts }: AlertFacts,
): void {
  const level = logLevelOf({ status, severity });
  const sentence = `infrastructure alert ${status}: ${alertname}${summary === "" ? "" : `: ${summary}`}`;
  const fields = { alertname, status, severity, component, camera_id, fingerprint, receiver, started_at: facts.started_at };
  log[level](fields, sentence);
}

/** Stores each alert once, and a message for live clients for each time it was sent. */
async function store({ db, clock }: { readonly db: Database; readonly clock: Clock }, alerts: readonly AlertFacts[]): Promise<void> {
  const once = new Map<string, CountedAlert>();
  for (const facts of alerts) {
    const key = JSON.stringify([facts.fingerprint, facts.started_at.getTime(), facts.status]);
    once.set(key, { facts, count: (once.get(key)?.count ?? 0) + 1 });
  }
  const now = clock.now();
  await db.transaction(async (sql) => {
    await storeAlerts(sql, [...once.values()], now);
    await appendToJournal(
      sql,
      alerts.map((facts) => ({ type: "infrastructure_alert" as const, data: broadcastOf(facts) })),
      now,
    );
  });
}

function messageOf(received: number, problem: string | undefined, unstored: number, truncated: number): string {
  const parts = [`${received - unstored} of ${received} alerts processed`];
  if (problem) parts.push(`${unstored === 1 ? "one" : unstored} could not be stored: ${problem}`);
  if (truncated > 0) parts.push(`the alert manager left out ${truncated} more`);
  return parts.join("; ");
}
