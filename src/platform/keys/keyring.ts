import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The valid API keys; only their hashes are stored. */
export interface Keyring {
  /** Tells whether this is one of the keys, in the same time for every candidate of the same length. */
  accepts(candidate: string | Buffer): boolean;
}

/** Creates a keyring. Text is compared by its UTF-8 bytes. */
export function createKeyring(keys: readonly string[]): Keyring {
  const hashes = keys.map(hashOf);
  return {
    accepts: (candidate) => {
      const hash = hashOf(candidate);
      let found = 0;
      // Compares all keys, found or not: an early end would reveal the position of a key in the list
      for (const known of hashes) found |= Number(timingSafeEqual(known, hash));
      return found === 1;
    },
  };
}

/** Returns the SHA-256 hash of a key. A key has 256 random bits, so that the hash needs no salt. */
export function hashOf(key: string | Buffer): Buffer {
  return createHash("sha256").update(key).digest();
}

/**
 * Returns a new API key with 256 random bits. It needs no escaping in a header, a URL or a WebSocket subprotocol, and begins with `hs_`,
 * so that it is not mistaken for an option and scanners for leaked secrets can find it.
 */
export function generateKey(): string {
  return `hs_${randomBytes(32).toString("base64url")}`;
}
