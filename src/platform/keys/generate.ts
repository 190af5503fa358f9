import { randomBytes } from "node:crypto";

/**
 * A new API key with 256 random bits. It can stand in a header, an address and a WebSocket subprotocol as it is, and
 * begins with `hs_`, so that nobody takes it for an option and scanners for leaked secrets can find it.
 */
export function generateKey(): string {
  return `hs_${randomBytes(32).toString("base64url")}`;
}
