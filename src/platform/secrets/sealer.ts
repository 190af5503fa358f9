import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { Problem } from "../../contract/problem.ts";
import { readOrMakeKey } from "./key-file.ts";

/** Makes secrets unreadable for a person with only the database. */
export interface Sealer {
  /** Seals a text; the same text results in different bytes each time. */
  seal(text: string): Buffer;
  /** Opens a sealed text. Throws `Problem("unavailable")` that names the key file if it is damaged or was sealed with another key. */
  unseal(sealed: Buffer): string;
  /** Signs a text for a purpose: only someone with the key file can make this code, and a code for one purpose fits no other. */
  sign(purpose: string, text: string): Buffer;
}

/** A sealer with a key file. */
export interface OpenSealer extends Sealer {
  /** Distinguishes keys without revealing anything about them: 16 hexadecimal digits. */
  readonly fingerprint: string;
}

/** Version, fingerprint of the key, nonce, tag, and then the text (AES-256-GCM). */
const version = 1;
const [idBytes, nonceBytes, tagBytes] = [8, 12, 16];
const headBytes = 1 + idBytes;

/**
 * Returns the sealer of a key file, which is created if it is missing. Throws `Problem("unavailable")` with the fix if the file cannot
 * be read or created, has a wrong length, or is readable by others.
 */
export function openSealer(keyPath: string): OpenSealer {
  return sealerOf(readOrMakeKey(keyPath), keyPath);
}

/** Returns the sealer of a key of 32 bytes; `keyPath` is for errors. */
export function sealerOf(key: Buffer, keyPath: string): OpenSealer {
  const id = Buffer.from(hkdfSync("sha256", key, "", "homesec fingerprint of a key", idBytes));
  const head = Buffer.concat([Buffer.of(version), id]);
  const signingKeys = new Map<string, Buffer>();
  const signingKey = (purpose: string): Buffer => {
    const known = signingKeys.get(purpose) ?? Buffer.from(hkdfSync("sha256", key, "", `homesec signature: ${purpose}`, 32));
    signingKeys.set(purpose, known);
    return known;
  };
  const unusable = (reason: string, cause?: unknown): Problem =>
    new Problem("unavailable", `A stored secret cannot be opened with the key file ${keyPath}: ${reason}`, { cause });
  return {
    fingerprint: id.toString("hex"),
    sign: (purpose, text) => createHmac("sha256", signingKey(purpose)).update(text).digest(),
    seal(text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes }).setAAD(head);
      const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([head, nonce, cipher.getAuthTag(), content]);
    },
    unseal(sealed) {
      const bytes = Buffer.from(sealed);
      if (bytes.length < headBytes + nonceBytes + tagBytes) throw unusable("it is damaged; enter the secret again");
      if (bytes[0] !== version) throw unusable(`it was sealed by another version of homesec (form ${bytes[0]}); start that one`);
      const other = bytes.subarray(1, headBytes);
      if (!other.equals(id)) {
        throw unusable(
          `it was sealed with the key ${other.toString("hex")}, and this is ${id.toString("hex")}; put the right file there and start homesec again, or enter the secret again`,
        );
      }
      const nonceEnd = headBytes + nonceBytes;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(headBytes, nonceEnd), { authTagLength: tagBytes })
        .setAAD(head)
        .setAuthTag(bytes.subarray(nonceEnd, nonceEnd + tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(nonceEnd + tagBytes)), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw unusable("it is damaged; enter the secret again", cause);
      }
    },
  };
}
