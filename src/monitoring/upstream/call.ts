import type { Clock } from "../../base/clock/clock.ts";
import { type Breaker, BreakerOpen } from "./breaker.ts";
import { type UnavailableReason, type UpstreamAnswer, UpstreamFailure } from "./http.ts";

/** The service cannot be used now. Retry the work at `retryAt` or later. */
export interface Unavailable {
  readonly kind: "unavailable";
  readonly reason: UnavailableReason;
  readonly detail: string;
  readonly retryAt: Date;
  /** No call had failed since the last good answer when this one was made, so the request itself may be at fault. */
  readonly suspect?: boolean;
}

/** Delay after a failure that did not open the breaker. It is short: the next call shows whether the service is down. */
const retryAfterFailureMs = 2_000;
const retryWhenBusyMs = 5_000;

/**
 * Runs one call to a service through its breaker. Returns `Unavailable` for every `UpstreamFailure` and for an open breaker.
 * Throws other errors of `work`, and the signal's reason if the caller cancelled.
 */
export async function callThrough<T>(
  breaker: Breaker,
  clock: Clock,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T | Unavailable> {
  const suspect = breaker.state().failure_count === 0;
  try {
    return await breaker.run(work, signal);
  } catch (error) {
    if (error instanceof BreakerOpen) {
      return { kind: "unavailable", reason: "breaker_open", detail: error.message, retryAt: error.resetAt };
    }
    if (!(error instanceof UpstreamFailure)) throw error;
    const retryAt = breaker.state().reset_at ?? later(clock, retryAfterFailureMs);
    return { kind: "unavailable", reason: error.reason, detail: error.message, retryAt, suspect };
  }
}

/** The meaning of an answer's status for the caller. */
export type StatusMeaning = { readonly kind: "ok" } | { readonly kind: "refused"; readonly detail: string } | Unavailable;

/**
 * Interprets the status of an answer. 200 is an answer. A 4xx refuses the request, except 408, 425 and 429, which ask for a
 * later retry. Any other status throws `UpstreamFailure`.
 */
export function judgeStatus(answer: UpstreamAnswer, clock: Clock): StatusMeaning {
  const { status } = answer;
  if (status === 200) return { kind: "ok" };
  const detail = `status ${status}${excerpt(answer.text)}`;
  if (status === 408 || status === 425 || status === 429) {
    return { kind: "unavailable", reason: "busy", detail, retryAt: later(clock, answer.retryAfterMs ?? retryWhenBusyMs) };
  }
  if (status >= 400 && status < 500) return { kind: "refused", detail };
  throw new UpstreamFailure("status", detail);
}

const longestExcerpt = 200;

/** Returns the first words of an answer, for a message. */
export function excerpt(text: string): string {
  // A log line must not contain control characters.
  const words = text
    .slice(0, 1_000)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  if (words === "") return "";
  const cut = words.length > longestExcerpt ? `${words.slice(0, longestExcerpt)}…` : words;
  // The cut may split a character, and half a character cannot be stored as JSON.
  return `: ${cut.replace(/\p{Surrogate}/gu, "")}`;
}

function later(clock: Clock, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}
