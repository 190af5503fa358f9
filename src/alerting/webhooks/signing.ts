import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** Makes a signing secret of the Standard Webhooks specification 1.0: `whsec_` and 32 random bytes in base64. */
export function newSigningSecret(): string {
  return prefix + randomBytes(32).toString("base64");
}

/**
 * Returns the three headers of the Standard Webhooks specification 1.0 for exactly these bytes. Each secret adds a signature, so a receiver
 * needs to know only one of them.
 */
export function signatureHeaders(
  secrets: readonly string[],
  message: { readonly id: string; readonly time: Date; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(message.time.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${message.id}.${timestamp}.${message.body}`).digest("base64")}`;
  });
  return { "webhook-id": message.id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
