import type { Log } from "../../base/log/log.ts";
import type { Database } from "../../platform/database/database.ts";
import { emit } from "../../work/outbox/outbox.ts";
import type { ChannelAvailability } from "../channels/availability.ts";
import { webhooksNamedBy } from "../channels/targets.ts";
import type { ChannelResult } from "../notifications/notification.ts";
import { queueNotifications } from "../notifications/queue.ts";
import { addDays, type DueSummary, dateIn, lastDueSummary, nextSummaryAt, sendWithinMs } from "../summaries/schedule.ts";
import { claimSummary, lastHandledDay, storeSummary } from "../summaries/summaries-repository.ts";
import { writeSummary } from "../summaries/summary.ts";
import { subscribersOf } from "../webhooks/webhooks-repository.ts";

/** The settings of the daily summary. They may change while the daemon runs. */
export interface SummarySettings {
  /** Time of day as `HH:MM`; undefined: no summary is sent. */
  readonly at: string | undefined;
  /** As rules name them. */
  readonly channels: readonly string[];
  readonly availability: ChannelAvailability;
  readonly timeZone: string;
}

/** Sends the summary of each day once, whatever the number of processes. */
export interface DailySummary {
  /** Queues the summary if it is due. Returns the time of the next one; undefined if none is set up. */
  sendIfDue(now: Date): Promise<Date | undefined>;
}

/**
 * Creates the sender of the daily summary. A summary that was due while homesec was not running is sent late, within 12 hours. After that
 * it is not sent; the log says so, and so does the next summary. The first summary is the next one after it was set up. While it is
 * switched off, days count as handled, so that no later summary names them as missing.
 */
export function createDailySummary(settings: SummarySettings, { db, log }: { readonly db: Database; readonly log: Log }): DailySummary {
  /** The last day that this process found handled, or too late: no need to ask the database again. */
  let done: string | undefined;
  /** The last day that this process marked as handled because the summary was switched off. */
  let passed: string | undefined;
  return {
    sendIfDue: async (now) => {
      const { at, timeZone } = settings;
      if (at === undefined) {
        const yesterday = addDays(dateIn(timeZone, now), -1);
        if (yesterday !== passed) await passDay(db, yesterday, now);
        passed = yesterday;
        return undefined;
      }
      const due = lastDueSummary(at, timeZone, now);
      if (due.sentOn !== done) {
        await send(db, { due, settings, now, log });
        done = due.sentOn;
      }
      return nextSummaryAt(at, timeZone, now);
    },
  };
}

/** Marks a day as handled without a summary. Does nothing before the first summary was set up. */
async function passDay(db: Database, day: string, now: Date): Promise<void> {
  await db.transaction(async (sql) => {
    const last = await lastHandledDay(sql, now);
    if (last !== undefined && last < day) await claimSummary(sql, day, now, now);
  });
}

interface Sending {
  readonly due: DueSummary;
  readonly settings: SummarySettings;
  readonly now: Date;
  readonly log: Log;
}

async function send(db: Database, { due, settings, now, log }: Sending): Promise<void> {
  const last = await db.query((sql) => lastHandledDay(sql, now));
  if (last !== undefined && last >= due.sentOn) return;
  if (last !== undefined && now.getTime() - due.dueAt.getTime() > sendWithinMs) {
    const text = `the summary of ${due.date} is not sent: homesec was not running when it was due, more than 12 hours ago`;
    return log.warn({ day: due.date, due: due.dueAt.toISOString() }, text);
  }
  const queued = await db.transaction(async (sql) => {
    if (!(await claimSummary(sql, due.sentOn, due.dueAt, now))) return undefined;
    if (last === undefined) return undefined;
    const next = addDays(last, 1);
    const missed = next < due.sentOn ? { first: next, last: addDays(due.sentOn, -1) } : null;
    const content = await writeSummary(sql, due, missed, now);
    await storeSummary(sql, due.sentOn, content);
    const webhookIds = await webhooksNamedBy(sql, settings.channels);
    await emit(sql, [{ type: "daily_summary", eventId: due.date, data: content, webhookIds }], now);
    const expiresAt = new Date(now.getTime() + sendWithinMs);
    const order = { kind: "summary", summaryDay: due.sentOn, channels: settings.channels, expiresAt } as const;
    const results = await queueNotifications(sql, order, settings.availability, now);
    return { results, subscribers: await subscribersOf(sql, "daily_summary") };
  });
  if (queued) logQueued(log, due, queued);
}

function logQueued(
  log: Log,
  { date }: DueSummary,
  { results, subscribers }: { readonly results: readonly ChannelResult[]; readonly subscribers: readonly string[] },
): void {
  const unusable = results.flatMap(({ channel, reason }) => (reason === null ? [] : [`${channel}: ${reason}`]));
  const named = results.filter(({ reason }) => reason === null).map(({ channel }) => channel);
  const channels = [...new Set([...named, ...subscribers])];
  if (channels.length > 0) log.info({ day: date, channels, unusable }, "queued the daily summary");
  else log.warn({ day: date, unusable }, "no channel of DAILY_SUMMARY_CHANNELS can send the daily summary");
}
