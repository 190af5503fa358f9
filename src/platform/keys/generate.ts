import { randomBytes } from "node:crypto";

/**
 * Returns a new API key with 256 random bits. It needs no escaping in a header, a URL or a WebSocket subprotocol, and begins with `hs_`,
 * so that it is not mistaken for an option and scanners for leaked secrets can find it.
 */
export function generateKey(): string {
  return `hs_${randomBytes(32).toString("base64url")}`;
}
