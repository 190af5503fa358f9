import type { Request, Response } from "express";

/**
 * Ends an answer of which a part is out so that the asker cannot take it for the whole: a connection that is cut says that the rest is missing. In
 * HTTP/1.0, which proxies speak, an answer without a length ends with its connection, and only a reset tells the difference.
 */
export function breakOff(request: Request, response: Response): void {
  // a TLS connection says by itself whether it was ended or cut
  if (request.httpVersion === "1.0" && !("encrypted" in request.socket)) request.socket.resetAndDestroy();
  response.destroy();
}
