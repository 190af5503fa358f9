import type { Outbound, OutboundAnswer } from "../../platform/outbound/outbound.ts";
import type { WebhookRequest } from "./request.ts";

/** Shorter ones occur in ordinary texts. No service gives out such tokens. */
const shortestMasked = 4;

/**
 * Sends a request to a webhook; never rejects. Replaces secrets of the request in the answer: a target that repeats what it receives must not
 * show stored secrets to everyone who may read answers.
 */
export async function postWebhook(
  outbound: Pick<Outbound, "post">,
  { secrets, ...request }: WebhookRequest,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<OutboundAnswer> {
  const answer = await outbound.post({ ...request, ...options });
  return answer.kind === "answered" ? { ...answer, body: masked(answer.body, secrets) } : answer;
}

/** Replaces the secrets, also as they are written in JSON and in URLs. */
function masked(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret.length >= shortestMasked)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.replace(/\p{Cs}/gu, ""))]);
  return forms.reduce((safe, form) => safe.replaceAll(form, "***"), text);
}
