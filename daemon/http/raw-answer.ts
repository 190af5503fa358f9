import { randomUUID } from "node:crypto";

/** A refusal as the bytes of HTTP, for a connection that no server answers for us; it ends the connection. */
export function rawRefusal(status: string, detail: string): string {
  const body = JSON.stringify({ detail });
  return (
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `X-Request-ID: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
