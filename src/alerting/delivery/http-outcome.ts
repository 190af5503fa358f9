import { retryAfterMs } from "../../platform/outbound/headers.ts";
import type { OutboundAnswer } from "../../platform/outbound/outbound.ts";
import type { Outcome } from "./outcome.ts";
import { storable } from "./texts.ts";

const storedCharacters = 2000;

/**
 * Says what the answer to a POST means: 2xx is success, 410 is final, everything else is retried. 5xx, 408, 425 and 429 are likely to
 * pass; other answers, and addresses that homesec refuses to call, need a change of the configuration.
 */
export function outcomeOfAnswer(answer: OutboundAnswer, now: Date): Outcome {
  if (answer.kind === "refused") return { kind: "again", answer: answer.error, misconfigured: true };
  if (answer.kind === "unreachable") return { kind: "again", answer: answer.error };
  const { status } = answer;
  const response = { status, ms: Math.round(answer.ms), body: storable(answer.body).slice(0, storedCharacters) };
  const text = `The target answered ${status}`;
  if (status >= 200 && status < 300) return { kind: "sent", answer: text, response };
  if (status === 410) return { kind: "failed", answer: `${text} (Gone): it accepts no more messages`, isGone: true, response };
  const isRedirect = status >= 300 && status < 400;
  const isTransient = status >= 500 || status === 408 || status === 425 || status === 429;
  const waitMs = retryAfterMs(answer.retryAfter, now);
  return {
    kind: "again",
    answer: isRedirect ? `${text}: homesec does not follow redirects; set the URL to the new address` : text,
    response,
    ...(!isTransient && { misconfigured: true as const }),
    ...(waitMs > 0 && { waitMs }),
  };
}
