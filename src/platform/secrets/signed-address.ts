import { timingSafeEqual } from "node:crypto";
import { dayMs } from "../../base/clock/clock.ts";
import type { Sealer } from "./sealer.ts";

type Signer = Pick<Sealer, "sign">;

/** A signed address works for this time, and until the end of its last day in UTC, so that a repeated message is the same. */
export const signedForMs = 7 * dayMs;

const signatureOf = (path: string, expires: string, signer: Signer): Buffer => signer.sign("address of a picture", `${path}\n${expires}`);

/** Adds an expiry and a signature to the path of a picture, so that it can be read without a key until then. */
export function signAddress(path: string, signer: Signer, now: Date): string {
  const expires = String((Math.ceil((now.getTime() + signedForMs) / dayMs) * dayMs) / 1_000);
  return `${path}?expires=${expires}&signature=${signatureOf(path, expires, signer).toString("base64url")}`;
}

/** The signature of a requested address. `none`: it has no signature. `ended`: it was valid before. */
export type SignatureState = "none" | "valid" | "ended" | "wrong";

/** Checks the signature of a requested address. */
export function checkSignature(path: string, query: URLSearchParams, signer: Signer, now: Date): SignatureState {
  const [expires, signature] = [query.get("expires"), query.get("signature")];
  if (expires === null || signature === null) return "none";
  const [given, right] = [Buffer.from(signature, "base64url"), signatureOf(path, expires, signer)];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return "wrong";
  return Number(expires) * 1_000 > now.getTime() ? "valid" : "ended";
}
