import type { OutboundAnswer } from "../../platform/outbound/outbound.ts";

/** How one attempt came out. */
export interface Outcome {
  readonly kind: "success" | "again" | "never" | "gone";
  readonly statusCode: number | null;
  readonly responseMs: number | null;
  readonly error: string | null;
  /** The beginning of the answer. */
  readonly response: string | null;
  readonly retryAfter: string | null;
}

/** So much of an answer is kept with the attempt. */
const keptCharacters = 2000;

/**
 * Judges an answer: 2xx alone is success. 410 says that nobody listens there any more (`gone`); what may not be called
 * will not be allowed a minute later (`never`); everything else is worth another try (`again`).
 */
export function judge(answer: OutboundAnswer): Outcome {
  const nothing = { statusCode: null, responseMs: null, response: null, retryAfter: null };
  switch (answer.kind) {
    case "refused":
      return { ...nothing, kind: "never", error: answer.error };
    case "unreachable":
      return { ...nothing, kind: "again", error: answer.error };
    case "answered": {
      const { status, retryAfter } = answer;
      const said = { statusCode: status, responseMs: Math.round(answer.ms), response: storable(answer.body).slice(0, keptCharacters) };
      if (status >= 200 && status < 300) return { ...said, kind: "success", error: null, retryAfter: null };
      return { ...said, kind: status === 410 ? "gone" : "again", error: reasonOf(status), retryAfter };
    }
  }
}

/** An attempt that could not even be made, and may be another time or by another daemon. */
export function unsendable(error: string): Outcome {
  return { kind: "again", statusCode: null, responseMs: null, error, response: null, retryAfter: null };
}

function reasonOf(status: number): string {
  if (status === 410) return "The target answered 410: it wants no more deliveries";
  if (status >= 300 && status < 400)
    return `The target answered ${status}: redirects are not followed; set the webhook's URL to the new address`;
  return `The target answered ${status}`;
}

/** PostgreSQL stores no NUL, and a half of a surrogate pair is no text. */
function storable(text: string): string {
  return text.replaceAll("\u0000", "").replace(/\p{Surrogate}/gu, "\ufffd");
}
