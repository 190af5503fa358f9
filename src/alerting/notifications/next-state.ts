import { minuteMs } from "../../base/clock/clock.ts";
import { durationText, pluralize } from "../../base/text/format.ts";
import type { SentSummary } from "../../contract/outbound-events.ts";
import { notificationDelayMs } from "../delivery/backoff.ts";
import type { JobEnd, Result, Unsent } from "../delivery/channel.ts";
import type { Outcome } from "../delivery/outcome.ts";
import type { Notification, Progress } from "./notification.ts";

/**
 * The states of a notification:
 *
 *   waiting ──▶ sent                the server accepted it; while `unreached` names recipients, homesec retries it for them
 *      ├──────▶ failed              refused for good, or no attempt came to an outcome; a dead letter
 *      ├──────▶ expired             not sent before `expiresAt`; a dead letter
 *      └──────▶ cancelled           a person acknowledged or dismissed the alert first
 *   unusable                        the channel could not be used when the notification was queued; never sent
 *
 * An attempt that is running when a person cancels the notification may still turn `cancelled` into `sent`.
 */
export interface NextState extends Pick<Progress, "status" | "reason" | "unreached"> {
  readonly job: JobEnd;
}

/** A notification that goes out later than this after it was queued is late, whatever delayed it. */
const lateAfterMs = 5 * minuteMs;

/**
 * Returns the state that follows from a result. `tries` counts the attempts since the notification was last queued, this one included,
 * and sets the wait before the next one; no wait exceeds the notification's expiry.
 */
export function nextState(
  stored: Progress,
  result: Result<unknown>,
  retry: { readonly tries: number; readonly random: number },
): NextState {
  if (stored.status !== "cancelled") return follow(stored, result, retry);
  const next = follow({ ...stored, status: "waiting" }, result, retry);
  return next.status === "sent" ? next : ended(stored, "cancelled", stored.reason);
}

function follow(before: Progress, result: Result<unknown>, retry: { readonly tries: number; readonly random: number }): NextState {
  switch (result.kind) {
    case "attempted":
      return afterAttempt(before, result.outcome, result.at, retry);
    case "waits":
      return released(before, [result.reason ?? "", ...refusedEarlier(before)].filter(Boolean).join("; "), result.until);
    case "ended":
      return afterEnd(before, result);
  }
}

function afterAttempt(
  before: Progress,
  outcome: Outcome,
  now: Date,
  { tries, random }: { readonly tries: number; readonly random: number },
): NextState {
  const earlier = refusedEarlier(before);
  const next = (cause: Parameters<typeof notificationDelayMs>[1]): Date =>
    notPastExpiry(before, now, notificationDelayMs(tries, cause, random));
  switch (outcome.kind) {
    case "sent": {
      const refused = [...earlier, ...(outcome.refusedFor === undefined ? [] : [outcome.refusedFor])];
      if (!outcome.unreached) return ended(before, "sent", refused.join("; ") || null);
      const reason = [`not yet accepted for ${outcome.unreached.join(", ")}; retrying`, ...refused].join("; ");
      return released({ status: "sent", unreached: outcome.unreached }, reason, next(outcome));
    }
    case "again": {
      const { answer, unreached = before.unreached } = outcome;
      return released({ status: before.status, unreached }, [answer, ...earlier].join("; "), next(outcome));
    }
    case "failed":
      return failed(before, outcome.answer);
  }
}

function afterEnd(before: Progress, { as, reason }: Unsent & { readonly kind: "ended" }): NextState {
  const isPartlySent = before.status === "sent";
  switch (as) {
    case "failed":
      return failed(before, reason);
    case "cancelled":
      return ended(before, isPartlySent ? "sent" : "cancelled", reason ?? before.reason);
    case "expired": {
      if (isPartlySent) {
        return ended(before, "sent", [`not accepted for ${before.unreached?.join(", ")} in time`, ...refusedEarlier(before)].join("; "));
      }
      const hours = Math.round((before.expiresAt.getTime() - before.createdAt.getTime()) / 36_000) / 100;
      const last = before.reason === null ? "it was never tried" : `the last answer: ${before.reason}`;
      return ended(before, "expired", `not sent within ${hours} hours; ${last}`);
    }
  }
}

/** A mail that reached some of its recipients is never a dead letter: a requeue would send it to them again. */
function failed(before: Progress, answer: string): NextState {
  if (before.status === "sent") return ended(before, "sent", [answer, ...refusedEarlier(before)].join("; "));
  return ended(before, "failed", answer);
}

/** No attempt follows. A requeued dead letter goes to the recipients that were not reached. */
function ended(before: Progress, status: NextState["status"], reason: string | null): NextState {
  const isDeadLetter = status === "failed" || status === "expired";
  if (!isDeadLetter) return { status, reason, unreached: null, job: { kind: "finish" } };
  return { status, reason, unreached: before.unreached, job: { kind: "bury", error: reason ?? "it could not be sent" } };
}

function released({ status, unreached }: Pick<Progress, "status" | "unreached">, reason: string, availableAt: Date): NextState {
  return { status, reason, unreached, job: { kind: "release", availableAt, error: reason, attempt: "deferred" } };
}

/** Returns when a wait ends, or the expiry when that is earlier, but never a time in the past. */
export function notPastExpiry({ expiresAt }: Pick<Progress, "expiresAt">, now: Date, waitMs: number): Date {
  return new Date(Math.min(now.getTime() + waitMs, Math.max(expiresAt.getTime(), now.getTime())));
}

/** Returns the refusals in the stored reason of recipients that homesec does not try again. */
function refusedEarlier({ reason, unreached }: Progress): readonly string[] {
  if (reason === null || unreached === null) return [];
  // Versions before 0.2 wrote "not taken for"
  const prefix = /^(?:refused|not taken) for /;
  const refusals = reason.split(/; (?=(?:refused|not taken) for )/).filter((part) => prefix.test(part));
  return refusals.filter((part) => !unreached.some((recipient) => part.replace(prefix, "").startsWith(`${recipient}: `)));
}

/** Whether a notification that is sent now, or still waits, is late. */
export function isLate(before: Progress, status: NextState["status"], now: Date): boolean {
  return before.late || status === "waiting" || (status === "sent" && now.getTime() - before.createdAt.getTime() > lateAfterMs);
}

/** Returns the sentence that explains the delay of a message that is sent now; undefined when it is in time. */
export function lateness(before: Progress, kind: Notification["kind"], now: Date): string | undefined {
  const what = kind === "alert" || kind === "digest" || kind === "summary" ? kind : "message";
  const minutes = Math.max(1, Math.round((now.getTime() - before.createdAt.getTime()) / minuteMs));
  const wait = minutes < 120 ? pluralize(minutes, "minute") : `${Math.round(minutes / 60)} hours`;
  if (before.attempts > 0) return `This ${what} is late: it could not be sent for ${wait} (${before.reason ?? "unknown cause"}).`;
  return isLate(before, "sent", now) ? `This ${what} is late: it waited for ${wait} before it could be sent.` : undefined;
}

/** Returns the sentence that explains why a summary was queued long after its time; undefined when it was in time. */
export function latenessOfSummary({ due_at: due }: Pick<SentSummary, "due_at">, createdAt: Date): string | undefined {
  const waited = createdAt.getTime() - due.getTime();
  if (waited <= lateAfterMs) return undefined;
  return `This summary is late: it was due ${durationText(waited)} earlier, while homesec or the summary was off.`;
}
