import { timingSafeEqual } from "node:crypto";
import { signatureHeaders } from "../../src/alerting/webhooks/signing.ts";

/** The result of a signature check. */
export type Verdict = "valid" | "missing" | "malformed" | "wrong" | "too old" | "not checked";

/** The largest allowed difference between the clocks of sender and receiver. */
const toleranceSeconds = 300;

/** Checks a request by the Standard Webhooks specification. Without a secret, only checks that there is a signature. */
export function verify(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  secret: string | undefined,
  now: Date,
): Verdict {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name]);
  if (id === undefined && timestamp === undefined && signatures === undefined) return "missing";
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string") return "malformed";
  if (!/^\d{1,12}$/.test(timestamp)) return "malformed";
  if (secret === undefined) return "not checked";
  const time = new Date(Number(timestamp) * 1000);
  const expected = signatureHeaders([secret], { id, time, body })["webhook-signature"] ?? "";
  if (!signatures.split(" ").some((signature) => same(signature, expected))) return "wrong";
  return Math.abs(now.getTime() - time.getTime()) > toleranceSeconds * 1000 ? "too old" : "valid";
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
