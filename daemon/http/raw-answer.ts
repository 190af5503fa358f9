import { randomUUID } from "node:crypto";

/** Returns a refusal as raw HTTP, for a connection without a server response, and closes it. `headers` are additional ones. */
export function rawRefusal(status: string, detail: string, headers: Readonly<Record<string, string>> = {}): string {
  const body = JSON.stringify({ detail });
  const further = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${further.join("")}X-Request-ID: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
