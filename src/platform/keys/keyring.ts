import { createHash, timingSafeEqual } from "node:crypto";

/** The valid API keys, of which only hashes are kept. */
export interface Keyring {
  /** Whether this is one of the keys. Takes as long for any candidate of the same length, right or wrong. */
  accepts(candidate: string | Buffer): boolean;
}

/** Makes a keyring. Text is compared by its UTF-8 bytes. */
export function createKeyring(keys: readonly string[]): Keyring {
  const hashes = keys.map(hashOf);
  return {
    accepts: (candidate) => {
      const hash = hashOf(candidate);
      let found = 0;
      // all of them, found or not: where the search ends would tell how far down the list a key stands
      for (const known of hashes) found |= Number(timingSafeEqual(known, hash));
      return found === 1;
    },
  };
}

function hashOf(key: string | Buffer): Buffer {
  return createHash("sha256").update(key).digest();
}
