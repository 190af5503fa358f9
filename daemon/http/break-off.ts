import type { Request, Response } from "express";

/**
 * Aborts an answer that is partly sent, so that the client cannot take it for complete. In HTTP/1.0, which some proxies use, an answer
 * without a length ends when the connection closes. Only a reset shows that the rest is missing.
 */
export function breakOff(request: Request, response: Response): void {
  // TLS itself distinguishes a closed connection from a cut one.
  if (request.httpVersion === "1.0" && !("encrypted" in request.socket)) request.socket.resetAndDestroy();
  response.destroy();
}
