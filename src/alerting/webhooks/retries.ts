import { hourMs } from "../../base/clock/durations.ts";
import { retryAfterMs } from "../../platform/outbound/retry-after.ts";

/** No retry waits longer, whatever was configured or asked for. */
export const longestDelayMs = hourMs;
/** So much is added at most, so that what failed together does not come back together. */
const jitter = 0.2;

/**
 * Milliseconds to wait before retry `n`, counted from 1: `retryDelaySeconds` doubled for each retry before, and up to a
 * fifth more by `random` (0 to 1). A longer `Retry-After` is honoured. One hour at most.
 */
export function retryDelayMs(
  n: number,
  options: { readonly retryDelaySeconds: number; readonly random: number; readonly retryAfter: string | null; readonly now: Date },
): number {
  const own = options.retryDelaySeconds * 1000 * 2 ** (n - 1) * (1 + jitter * options.random);
  return Math.round(Math.min(longestDelayMs, Math.max(own, retryAfterMs(options.retryAfter, options.now))));
}
