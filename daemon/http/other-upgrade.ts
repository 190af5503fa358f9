import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { Server as TlsServer } from "node:tls";

/** Whether a request asks for a WebSocket, not for another protocol such as `h2c`. */
export function asksForWebSocket({ headers: { upgrade } }: IncomingMessage): boolean {
  return /\bwebsocket\b/i.test(upgrade ?? "");
}

/**
 * Answers a request for another protocol as a plain request, because a server ignores an upgrade that it does not know (RFC 9110, 7.8).
 * Node.js before 24.9 stops reading such a request after its headers, so it is parsed again without the upgrade, including its body.
 */
export function answerWithoutUpgrade(server: Server, request: IncomingMessage, stream: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = request.rawHeaders.slice(at, at + 2);
    if (/^(upgrade|http2-settings)$/i.test(name)) continue;
    const stripped = /^connection$/i.test(name) ? value.replace(/\b(upgrade|http2-settings)\b\s*,?\s*/gi, "") : value;
    lines.push(`${name}: ${stripped}`);
  }
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit(server instanceof TlsServer ? "secureConnection" : "connection", stream);
}
