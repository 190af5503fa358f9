import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";

/** Returns a refusal as raw HTTP, for a connection without a server response, and closes it. `headers` are additional ones. */
export function rawRefusal(status: string, detail: string, headers: Readonly<Record<string, string>> = {}): string {
  const body = JSON.stringify({ detail });
  const further = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${further.join("")}X-Request-ID: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/**
 * Aborts an answer that is partly sent, so that the client cannot take it for complete. In HTTP/1.0, which some proxies use, an answer
 * without a length ends when the connection closes. Only a reset shows that the rest is missing.
 */
export function abortAnswer(request: Request, response: Response): void {
  // TLS itself distinguishes a closed connection from a cut one.
  if (request.httpVersion === "1.0" && !("encrypted" in request.socket)) request.socket.resetAndDestroy();
  response.destroy();
}

/** Whether sending failed because the client has disconnected, which is not an error. */
export function isDisconnect(error: unknown): boolean {
  if (error instanceof Error && error.name === "AbortError") return true;
  return error instanceof Error && "code" in error && ["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"].includes(String(error.code));
}
