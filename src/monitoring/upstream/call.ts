import type { Clock } from "../../base/clock/clock.ts";
import { type Breaker, BreakerOpen } from "./breaker.ts";
import { type UnavailableReason, type UpstreamAnswer, UpstreamFailure } from "./http.ts";

/** The service cannot be used now. What was to be done must be done later, at `retryAt` at the earliest. */
export interface Unavailable {
  readonly kind: "unavailable";
  readonly reason: UnavailableReason;
  readonly detail: string;
  readonly retryAt: Date;
  /** Nothing had failed since the service last answered when it was asked this: what it was asked may be at fault. */
  readonly suspect?: boolean;
}

/** After a failure that did not open the breaker; the next one soon tells whether the service is down. */
const retryAfterFailureMs = 2_000;
const retryWhenBusyMs = 5_000;

/**
 * Runs one call to a service through its breaker and turns every way in which the service can be missing into
 * `Unavailable`. Throws only what `work` throws besides `UpstreamFailure`, and the signal's reason when the caller gave up.
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

/** What an answer's status means for the asker. */
export type StatusMeaning = { readonly kind: "ok" } | { readonly kind: "refused"; readonly detail: string } | Unavailable;

/**
 * 200 is an answer. A 4xx is the caller's fault, except 408, 425 and 429, which ask to come again later. Anything else
 * throws `UpstreamFailure`.
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

/** The first words of an answer, for a message. */
export function excerpt(text: string): string {
  // control characters have no business in a log line
  const words = text
    .slice(0, 1_000)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  if (words === "") return "";
  const cut = words.length > longestExcerpt ? `${words.slice(0, longestExcerpt)}…` : words;
  // a cut may go through the middle of a character, and the half that is left cannot be stored as JSON
  return `: ${cut.replace(/\p{Surrogate}/gu, "")}`;
}

function later(clock: Clock, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}
