import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Characters that no font confuses and that every camera accepts in a password; 32 of them, so that each byte gives one without bias. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
/** Some cameras accept at most 16 characters. */
const length = 16;

/** Returns a new password for a camera, with 80 random bits. */
export function generatePassword(): string {
  return [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

/** Returns the SHA-256 hash of a password. A generated password has 80 random bits, so that the hash needs no salt. */
export function passwordHash(password: string): Buffer {
  return createHash("sha256").update(password).digest();
}

/** Tells whether a password has this hash, in the same time for every password. */
export function hasHash(password: string, hash: Buffer): boolean {
  return timingSafeEqual(hash, passwordHash(password));
}
