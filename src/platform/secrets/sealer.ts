import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { Problem } from "../../contract/problem.ts";
import { readOrMakeKey } from "./key-file.ts";

/** Keeps secrets unreadable for who has only the database. */
export interface Sealer {
  /** Seals a text; the same text gives other bytes each time. */
  seal(text: string): Buffer;
  /** Opens what was sealed. Throws `Problem("unavailable")` naming the key file when it is another key's, or damaged. */
  unseal(sealed: Buffer): string;
}

/** A sealer with a key file behind it. */
export interface OpenSealer extends Sealer {
  /** Tells keys apart without telling anything of the key: 16 hexadecimal digits. */
  readonly fingerprint: string;
}

/** Version, fingerprint of the key, nonce, tag, and then the text (AES-256-GCM). */
const version = 1;
const [idBytes, nonceBytes, tagBytes] = [8, 12, 16];
const headBytes = 1 + idBytes;

/**
 * The sealer of a key file, which is made when it is missing. Throws `Problem("unavailable")` with the remedy when the
 * file cannot be read or made, has a wrong length, or may be read by others.
 */
export function openSealer(keyPath: string): OpenSealer {
  return sealerOf(readOrMakeKey(keyPath), keyPath);
}

/** The sealer of a key of 32 bytes; `keyPath` is for errors. */
export function sealerOf(key: Buffer, keyPath: string): OpenSealer {
  const id = Buffer.from(hkdfSync("sha256", key, "", "homesec fingerprint of a key", idBytes));
  const head = Buffer.concat([Buffer.of(version), id]);
  const unusable = (reason: string, cause?: unknown): Problem =>
    new Problem("unavailable", `A stored secret cannot be opened with the key file ${keyPath}: ${reason}`, { cause });
  return {
    fingerprint: id.toString("hex"),
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
