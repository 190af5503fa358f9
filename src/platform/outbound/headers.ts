import { validateHeaderName, validateHeaderValue } from "node:http";

/** Headers of the connection, which whoever holds it writes, and those that name another receiver. */
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

/** Whether only homesec itself may write this header. */
function isOwnHeader(name: string): boolean {
  return ours.has(name.toLowerCase());
}

/** The headers of a request with what homesec adds. A text says which of them cannot be sent, without its value. */
export function headersToSend(given: Readonly<Record<string, string>>, userAgent: string): Readonly<Record<string, string>> | string {
  const headers: Record<string, string> = { "user-agent": userAgent, accept: "*/*" };
  for (const [name, value] of Object.entries(given)) {
    if (isOwnHeader(name)) return `the header ${name} cannot be set; take it out`;
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      return `the header ${JSON.stringify(name.slice(0, 100))} has a name or a value that HTTP does not allow`;
    }
    headers[name.toLowerCase()] = value;
  }
  // what is packed could not be shown to anybody
  return { ...headers, "accept-encoding": "identity" };
}
