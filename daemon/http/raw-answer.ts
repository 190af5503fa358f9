import { randomUUID } from "node:crypto";

/** A refusal as the bytes of HTTP, for a connection that no server answers for us; it ends the connection. `headers` are further ones. */
export function rawRefusal(status: string, detail: string, headers: Readonly<Record<string, string>> = {}): string {
  const body = JSON.stringify({ detail });
  const further = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${further.join("")}X-Request-ID: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
