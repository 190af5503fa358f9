import { hourMs, minuteMs } from "../../base/clock/clock.ts";
import type { Outcome } from "./outcome.ts";

/** Whether the refusal lasts, and the wait that the other side asked for, in milliseconds. */
type Retry = Pick<Outcome & { kind: "again" }, "misconfigured" | "lasting" | "waitMs">;

const firstNotificationDelayMs = 30_000;
const longestNotificationDelayMs = 30 * minuteMs;
/** Shortest wait after a refusal that lasts, and after one that only a change of the configuration fixes. */
export const lastingDelayMs = 10 * minuteMs;
/** Longest wait between two attempts of a webhook delivery, and the longest `Retry-After` that homesec honours. */
export const longestDelayMs = hourMs;
const jitter = 0.2;
/** Keeps the power below finite; every delay has reached its maximum long before. */
const mostDoublings = 20;

/**
 * Milliseconds to wait after attempt `attempts` of a notification, counted from 1: 30 s, doubled each time up to 30 minutes, at least
 * 10 minutes after a refusal that lasts, at least the wait that was asked for. `random` (0 to 1) adds up to 20 %, so that notifications
 * which failed together are not retried together.
 */
export function notificationDelayMs(attempts: number, { misconfigured, lasting, waitMs = 0 }: Retry, random: number): number {
  const doubled = Math.min(exponential(firstNotificationDelayMs, attempts), longestNotificationDelayMs);
  const atLeast = Math.max(misconfigured || lasting ? lastingDelayMs : 0, Math.min(waitMs, longestDelayMs));
  return Math.round(withJitter(Math.max(doubled, atLeast), random));
}

/**
 * Milliseconds to wait after attempt `attempts` of a webhook delivery, counted from 1: `retryDelaySeconds`, doubled each time, with up
 * to 20 % jitter, or the longer wait that was asked for. One hour at most.
 */
export function webhookDelayMs(attempts: number, retryDelaySeconds: number, { waitMs = 0 }: Retry, random: number): number {
  const doubled = withJitter(exponential(retryDelaySeconds * 1000, attempts), random);
  return Math.round(Math.min(longestDelayMs, Math.max(doubled, waitMs)));
}

function exponential(firstMs: number, attempts: number): number {
  return firstMs * 2 ** Math.min(attempts - 1, mostDoublings);
}

function withJitter(ms: number, random: number): number {
  return ms * (1 + jitter * random);
}
