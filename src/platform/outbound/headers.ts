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
