import { z } from "zod";
import { type Batcher, createBatcher } from "../../base/async/batcher.ts";
import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { pluralize } from "../../base/text/format.ts";
import type { Answer } from "../../contract/answer.ts";
import { KeyInstant } from "../../contract/cursor.ts";
import { type alertReceiverRoutes, mostSentAlerts, type SentAlerts } from "../../contract/routes/alert-receiver.ts";
import type { Database } from "../../platform/database/database.ts";
import { readPage } from "../../platform/database/keyset.ts";
import { TokenBucket, type TokenRate } from "../../platform/limits/token-bucket.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { type AlertFacts, broadcastOf, cutTo, factsOf, logLevelOf, whyUnstorable } from "./received-alert.ts";
import {
  type CountedAlert,
  countReceivedAlerts,
  deleteReceivedAlertsBeyond,
  listReceivedAlerts,
  storeAlerts,
} from "./received-alerts-repository.ts";

type Receiving = (typeof alertReceiverRoutes)["receiveAlerts"];

const Key = z.tuple([KeyInstant, z.string(), KeyInstant, z.enum(["firing", "resolved"])]).readonly();

/** Alerts stored per transaction. */
const alertsAtOnce = 500;
/** A message with more alerts gets one line in the log. */
const mostLogged = 10;
/** Alerts that live clients get and the log names one by one. A flood beyond that is only stored and summarised: the journal has no cap. */
const namedAlerts: TokenRate = { perSecond: 5_000 / 3_600, burst: 10_000 };
/** Messages that arrive together are stored by one commit, up to this many. */
const messagesAtOnce = 64;
/** In characters: the summary of an alert in the log. */
const longestLogged = 500;
/** Received alerts that are kept, whatever the retention: at most a small part of any disk. */
const most = { rows: 10_000, bytes: 64 * 1024 * 1024 };
/** Alerts and characters beyond which the oldest ones are deleted again: to look for them takes longer than to store an alert. */
const mostUntrimmed = { alerts: 500, characters: 1024 * 1024 };

/** What receiving needs to know about a database between two messages. */
interface Receipt {
  readonly named: TokenBucket;
  readonly small: Batcher<Part, void>;
  /** Stored since the oldest ones were deleted; the first message does it. */
  untrimmed: { alerts: number; characters: number };
}

const receipts = new WeakMap<Database, Receipt>();

function receiptOf({ db, clock }: Pick<OperationContext, "db" | "clock">): Receipt {
  const known = receipts.get(db);
  if (known) return known;
  const receipt: Receipt = {
    named: new TokenBucket(namedAlerts, clock.monotonic()),
    small: createBatcher({
      maxSize: messagesAtOnce,
      work: async (parts) => {
        await store({ db, clock }, parts);
        return parts.map(() => undefined);
      },
    }),
    untrimmed: { alerts: Number.POSITIVE_INFINITY, characters: 0 },
  };
  receipts.set(db, receipt);
  return receipt;
}

/** The use cases of the alert receiver. */
export const alertReceiverOperations: Pick<Operations, keyof typeof alertReceiverRoutes> = {
  /**
   * Logs the alerts first, in any case, and stores them together with the messages for live clients, which the publisher sends after the
   * reply. If the database is away, the reply is an error, and the alert manager sends everything again.
   */
  receiveAlerts: ({ body }, context) => receive(readMessage(body), context),

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

/** The alerts of a message that are stored. It refers to nothing else of the message, which takes megabytes while the alerts are stored. */
interface Message {
  readonly alerts: readonly AlertFacts[];
  /** Number of all alerts of the message. */
  readonly received: number;
  /** Number of alerts that the alert manager left out. */
  readonly truncated: number;
}

function readMessage(body: z.output<typeof SentAlerts>): Message {
  const alerts = body.alerts.slice(0, mostSentAlerts).map((alert) => factsOf(body, alert));
  return { alerts, received: body.alerts.length, truncated: body.truncatedAlerts };
}

async function receive({ alerts, received, truncated }: Message, { db, clock, log }: OperationContext): Promise<Answer<Receiving>> {
  const receipt = receiptOf({ db, clock });
  const isFlood = !receipt.named.take(clock.monotonic(), alerts.length);
  logAlerts(log, alerts, isFlood);
  const problems = alerts.map(whyUnstorable);
  const storable = alerts.filter((_, index) => problems[index] === undefined);
  const problem = problems.find((why) => why !== undefined);
  const counts = { received, processed: storable.length };
  if (counts.processed < counts.received) log.warn({ ...counts, problem }, "some received alerts are not stored");
  if (storable.length <= mostLogged) await receipt.small.add({ alerts: storable, isFlood });
  else {
    for (let at = 0; at < storable.length; at += alertsAtOnce)
      await store({ db, clock }, [{ alerts: storable.slice(at, at + alertsAtOnce), isFlood }]);
  }
  await trim(receipt, storable, db);
  return {
    status: counts.processed === counts.received ? "ok" : "partial",
    ...counts,
    message: messageOf(counts, { problem, unstored: alerts.length - storable.length, truncated }),
  };
}

/** Logs the alerts of a message: each with a line, or many together at the highest of their levels. */
function logAlerts(log: Log, alerts: readonly AlertFacts[], isFlood: boolean): void {
  if (alerts.length <= mostLogged && !isFlood) {
    for (const alert of alerts) logAlert(log, alert);
    return;
  }
  const counts = { error: 0, warn: 0, info: 0 };
  for (const alert of alerts) counts[logLevelOf(alert)] += 1;
  const level = counts.error > 0 ? "error" : counts.warn > 0 ? "warn" : "info";
  const names = [...new Set(alerts.map(({ alertname }) => alertname))];
  const fields = { by_level: counts, alertnames: names.slice(0, mostLogged), receiver: alerts[0]?.receiver, broadcast: !isFlood };
  log[level](fields, `infrastructure alerts: ${alerts.length} in one message, ${pluralize(names.length, "name")}`);
}

function logAlert(
  log: Log,
  { alertname, status, severity, component, camera_id, fingerprint, receiver, summary, ...facts }: AlertFacts,
): void {
  const level = logLevelOf({ status, severity });
  const sentence = `infrastructure alert ${status}: ${alertname}${summary === "" ? "" : `: ${cutTo(longestLogged, summary)}`}`;
  const fields = { alertname, status, severity, component, camera_id, fingerprint, receiver, started_at: facts.started_at };
  log[level](fields, sentence);
}

/** Alerts of one message. */
interface Part {
  readonly alerts: readonly AlertFacts[];
  readonly isFlood: boolean;
}

/** Stores each alert once, and a message for live clients for each time it was sent, except in a flood. */
async function store({ db, clock }: { readonly db: Database; readonly clock: Clock }, parts: readonly Part[]): Promise<void> {
  const once = new Map<string, CountedAlert>();
  for (const facts of parts.flatMap(({ alerts }) => alerts)) {
    const key = JSON.stringify([facts.fingerprint, facts.started_at.getTime(), facts.status]);
    once.set(key, { facts, count: (once.get(key)?.count ?? 0) + 1 });
  }
  const now = clock.now();
  const told = parts.flatMap(({ alerts, isFlood }) => (isFlood ? [] : alerts));
  await db.transaction(async (sql) => {
    await storeAlerts(sql, [...once.values()], now);
    await appendToJournal(
      sql,
      told.map((facts) => ({ type: "infrastructure_alert" as const, data: broadcastOf(facts) })),
      now,
    );
  });
}

/** Deletes the alerts beyond `most`, once enough new ones are stored. */
async function trim(receipt: Receipt, stored: readonly AlertFacts[], db: Database): Promise<void> {
  const { untrimmed } = receipt;
  untrimmed.alerts += stored.length;
  for (const { labels, annotations } of stored) untrimmed.characters += JSON.stringify([labels, annotations]).length;
  if (untrimmed.alerts < mostUntrimmed.alerts && untrimmed.characters < mostUntrimmed.characters) return;
  receipt.untrimmed = { alerts: 0, characters: 0 };
  await db.transaction((sql) => deleteReceivedAlertsBeyond(sql, most));
}

function messageOf(
  { received, processed }: { readonly received: number; readonly processed: number },
  { problem, unstored, truncated }: { readonly problem: string | undefined; readonly unstored: number; readonly truncated: number },
): string {
  const parts = [`${processed} of ${received} alerts processed`];
  if (received > mostSentAlerts) parts.push(`the limit is ${mostSentAlerts} a message; set max_alerts of the receiver in Alertmanager`);
  if (problem) parts.push(`${unstored === 1 ? "one" : unstored} could not be stored: ${problem}`);
  if (truncated > 0) parts.push(`the alert manager left out ${truncated} more`);
  return parts.join("; ");
}
