import { validateHeaderName, validateHeaderValue } from "node:http";

/** Headers that belong to the connection, and those that name another recipient. */
const ours = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Tells whether only homesec itself may write this header. */
function isOwnHeader(name: string): boolean {
  return ours.has(name.toLowerCase());
}

/**
 * Returns the headers of a request together with those that homesec adds; or a text that names the headers that cannot be sent, without
 * their values.
 */
export function headersToSend(given: Readonly<Record<string, string>>, userAgent: string): Readonly<Record<string, string>> | string {
  const headers: Record<string, string> = { "user-agent": userAgent, accept: "*/*" };
  for (const [name, value] of Object.entries(given)) {
    if (isOwnHeader(name)) return `the header ${name} cannot be set; remove it`;
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      return `the header ${JSON.stringify(name.slice(0, 100))} has a name or a value that HTTP does not allow`;
    }
    headers[name.toLowerCase()] = value;
  }
  // A compressed response could not be shown
  return { ...headers, "accept-encoding": "identity" };
}

/** Identifies a sent message in the log: the id of the batch that its event comes from. */
const traceHeaderName = "x-homesec-trace";

/** Returns the header for a message about an event; empty if there is no batch, or if the event's id has another form. */
export function traceHeader(trace: string | null | undefined): Readonly<Record<string, string>> {
  return trace && /^[\w-]{1,64}$/.test(trace) ? { [traceHeaderName]: trace } : {};
}

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
