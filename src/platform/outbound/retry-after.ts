/**
 * Returns the wait that a `Retry-After` header requests, in milliseconds: it contains seconds or an HTTP date. 0 if it cannot be parsed.
 */
export function retryAfterMs(header: string | null, now: Date): number {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // The three forms of an HTTP date all begin with the name of a day
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}
