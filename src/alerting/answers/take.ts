import type { Clock } from "../../base/clock/clock.ts";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import type { Log } from "../../base/log/log.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { readToken } from "../notifications/answer-token.ts";
import { type Answer, channelOfMessage } from "./answers-repository.ts";
import { applyAnswer } from "./apply.ts";
import { lockSource, storePosition } from "./sources-repository.ts";

/** The outcome of a pressed button, as metrics count it. */
export const answerOutcomes = ["done", "repeated", "gone", "late", "forged", "foreign"] as const;
export type AnswerOutcome = (typeof answerOutcomes)[number];

/** Something that arrived from a service that brings answers. */
export interface Arrived {
  readonly source: string;
  /** The token of the button, or any text; undefined for something else than an answer: the reader skips it. */
  readonly data: string | undefined;
  /** The person and the device. */
  readonly by: string;
  /** It came from a chat or a topic that a channel uses. */
  readonly isOwn: boolean;
  /** Where to go on reading. */
  readonly next: string;
  /** An older position means nothing to the service. */
  readonly since: Date;
  /** Whether it was taken before, by the stored position. */
  readonly isTaken: (position: string | null) => boolean;
}

export interface TakingContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly onAnswer: (outcome: AnswerOutcome) => void;
}

/** The outcome of an answer, and the sentence that the phone shows. */
export interface Taken {
  readonly outcome: AnswerOutcome;
  readonly text: string;
}

/**
 * Takes an answer: stores its effect and the next position in one transaction, so that a crash neither loses nor repeats it. Undefined: it
 * was taken before. Throws for a lost database; the answer then arrives again.
 */
export async function takeAnswer(arrived: Arrived, context: TakingContext): Promise<Taken | undefined> {
  const { source, by, next, data } = arrived;
  let refused = 0;
  const taken = await context.db.transaction(async (sql) => {
    if (arrived.isTaken(await lockSource(sql, source, arrived.since))) return undefined;
    const result = data === undefined ? undefined : await resultOf(sql, { ...arrived, data }, context);
    refused = await storePosition(sql, source, next, { isRefused: result !== undefined && isRefused(result), now: context.clock.now() });
    return result;
  });
  return taken && report(taken, { source, by, ...(isRefused(taken) && { refused }) }, context);
}

/**
 * Takes an answer that a browser brought itself, which nothing repeats. It is from the device of the message's channel, and `person` is known
 * if the browser has a session.
 */
export async function takePressed(data: string, person: string | undefined, context: TakingContext): Promise<Taken> {
  const { db, clock, sealer } = context;
  const read = readToken(data, sealer, clock.now());
  const { taken, by } = await db.transaction(async (sql) => {
    const device = read.kind === "forged" ? undefined : await channelOfMessage(sql, read.token.notificationId);
    const by = [person, device ?? "a browser"].filter(Boolean).join(" on ");
    return { taken: await resultOf(sql, { data, by, isOwn: true }, context), by };
  });
  return report(taken, { source: "web push", by }, context);
}

/** Takes an answer that the service vouches for, such as a receipt. It may come again: the alert is ended once. */
export async function takeVouched(answer: Answer, source: string, context: TakingContext): Promise<Taken> {
  const { db, clock } = context;
  const { kind, text } = await db.transaction((sql) => applyAnswer(sql, answer, { now: clock.now(), timeZone: localTimeZone() }));
  return report({ outcome: kind, text }, { source, by: answer.by }, context);
}

/**
 * Counts and logs the outcome of an answer. Of many that are refused, the log has the 1st, 2nd, 4th, 8th: anyone can send them. A browser is
 * told itself.
 */
function report(
  taken: Taken,
  from: { readonly source: string; readonly by: string; readonly refused?: number },
  { onAnswer, log }: TakingContext,
): Taken {
  onAnswer(taken.outcome);
  const fields = { ...from, outcome: taken.outcome, answer: taken.text };
  if (!isRefused(taken)) log.info(fields, "took an answer from a phone");
  else log[Number.isInteger(Math.log2(from.refused ?? 3)) ? "warn" : "debug"](fields, "refused an answer from a phone");
  return taken;
}

const isRefused = ({ outcome }: Taken): boolean => outcome === "forged" || outcome === "foreign";

async function resultOf(
  sql: Sql,
  { data, by, isOwn }: Pick<Arrived, "by" | "isOwn"> & { readonly data: string },
  { clock, sealer }: TakingContext,
): Promise<Taken> {
  const now = clock.now();
  if (!isOwn) return { outcome: "foreign", text: "This chat is not set up in homesec" };
  const read = readToken(data, sealer, now);
  if (read.kind === "forged") return { outcome: "forged", text: "homesec did not write this button" };
  if (read.kind === "late") return { outcome: "late", text: "This button worked for 24 hours. Open homesec instead" };
  const { action, notificationId } = read.token;
  const { kind, text } = await applyAnswer(sql, { action, notificationId, by }, { now, timeZone: localTimeZone() });
  return { outcome: kind, text };
}
