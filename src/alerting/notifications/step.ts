import { minuteMs } from "../../base/clock/durations.ts";
import { pluralize } from "../../base/text/pluralize.ts";
import { delayAfter, type Outcome } from "../delivery/outcome.ts";

/** A notification as it is stored, as far as its next step depends on it. */
export interface Progress {
  readonly status: "waiting" | "sent" | "failed" | "expired" | "cancelled" | "unusable";
  readonly reason: string | null;
  /** Attempts that came to an outcome. */
  readonly attempts: number;
  /** Recipients of a mail that have not got it yet, where that is not all of them. */
  readonly unreached: readonly string[] | null;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly late: boolean;
}

/** What becomes of a notification and of its job. */
export interface Step {
  readonly status: Progress["status"];
  readonly reason: string | null;
  readonly unreached: readonly string[] | null;
  readonly nextAttemptAt: Date | null;
  readonly job: "finish" | "release" | "bury";
}

/** What went out later than this after it was raised is late, whatever held it up. */
const lateAfterMs = 5 * minuteMs;

/** Whether there is still something to send: to everybody, or to those whom a mail that was sent did not reach. */
export function isOpen({ status, unreached }: Pick<Progress, "status" | "unreached">): boolean {
  return status === "waiting" || (status === "sent" && unreached !== null);
}

/**
 * The step after an attempt. `tries` counts the attempts since it was last taken up, this one included, and sets how long
 * it waits; nothing waits past the notification's expiry.
 */
export function stepAfter(before: Progress, outcome: Outcome, { tries, now, random }: { tries: number; now: Date; random: number }): Step {
  const isPartlySent = before.status === "sent";
  const earlier = refusedEarlier(before);
  const next = (wait: Parameters<typeof delayAfter>[1]): Date =>
    new Date(Math.min(now.getTime() + delayAfter(tries, wait, random), Math.max(before.expiresAt.getTime(), now.getTime())));
  switch (outcome.kind) {
    case "sent": {
      const refused = [...earlier, ...(outcome.refusedFor === undefined ? [] : [outcome.refusedFor])];
      const reason = refused.join("; ") || null;
      if (!outcome.unreached) return { status: "sent", reason, unreached: null, nextAttemptAt: null, job: "finish" };
      const waiting = `not yet taken for ${outcome.unreached.join(", ")}: it is tried again`;
      return {
        status: "sent",
        reason: [waiting, ...refused].join("; "),
        unreached: outcome.unreached,
        nextAttemptAt: next({}),
        job: "release",
      };
    }
    case "again": {
      const unreached = outcome.unreached ?? before.unreached;
      const reason = [outcome.answer, ...earlier].join("; ");
      return { status: before.status, reason, unreached, nextAttemptAt: next(outcome), job: "release" };
    }
    case "failed":
      if (isPartlySent)
        return { status: "sent", reason: [outcome.answer, ...earlier].join("; "), unreached: null, nextAttemptAt: null, job: "finish" };
      return { status: "failed", reason: outcome.answer, unreached: before.unreached, nextAttemptAt: null, job: "bury" };
  }
}

/** What was said of recipients that are not tried again; to those who are left their mail may still go. */
export function refusedEarlier({ reason, unreached }: Progress): readonly string[] {
  if (reason === null || unreached === null) return [];
  const said = reason.split(/; (?=not taken for )/).filter((part) => part.startsWith("not taken for "));
  return said.filter((part) => !unreached.some((recipient) => part.startsWith(`not taken for ${recipient}: `)));
}

/** The step of what could not be sent in time. */
export function stepAtExpiry(before: Progress): Step {
  const ended = { unreached: null, nextAttemptAt: null };
  if (before.status === "sent") {
    const reason = [`not taken for ${before.unreached?.join(", ")} in time`, ...refusedEarlier(before)].join("; ");
    return { ...ended, status: "sent", reason, job: "finish" };
  }
  const hours = Math.round((before.expiresAt.getTime() - before.createdAt.getTime()) / 36_000) / 100;
  const last = before.reason === null ? "it was never tried" : `the last answer: ${before.reason}`;
  return { ...ended, unreached: before.unreached, status: "expired", reason: `not sent within ${hours} hours; ${last}`, job: "bury" };
}

/** Whether what is sent now, or could not be sent now, is late. */
export function isLate(before: Progress, status: Step["status"], now: Date): boolean {
  return before.late || status === "waiting" || (status === "sent" && now.getTime() - before.createdAt.getTime() > lateAfterMs);
}

/** What a message that is sent now says about its own lateness, or undefined when it is in time. */
export function lateness(before: Progress, kind: "alert" | "digest" | "end" | "silence", now: Date): string | undefined {
  const what = kind === "end" || kind === "silence" ? "message" : kind;
  const minutes = Math.max(1, Math.round((now.getTime() - before.createdAt.getTime()) / minuteMs));
  const wait = minutes < 120 ? pluralize(minutes, "minute") : `${Math.round(minutes / 60)} hours`;
  if (before.attempts > 0) return `This ${what} is late: it could not be sent for ${wait} (${before.reason ?? "the cause is not known"}).`;
  return isLate(before, "sent", now) ? `This ${what} is late: it waited for ${wait} before it could be sent.` : undefined;
}
