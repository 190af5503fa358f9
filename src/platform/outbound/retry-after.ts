/** How many milliseconds a `Retry-After` header asks to wait: seconds or an HTTP date. 0 when it says nothing that can be read. */
export function retryAfterMs(header: string | null, now: Date): number {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // the three forms of an HTTP date all begin with the name of a day
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}
