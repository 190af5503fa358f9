import { createHash, timingSafeEqual } from "node:crypto";

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

function hashOf(key: string | Buffer): Buffer {
  return createHash("sha256").update(key).digest();
}
