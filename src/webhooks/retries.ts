import { hourMs } from "../clock/durations.ts";

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

/** What a `Retry-After` header asks for: seconds or an HTTP date. 0 when it says nothing that can be read. */
function retryAfterMs(header: string | null, now: Date): number {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // the three forms of an HTTP date all begin with the name of a day
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}
