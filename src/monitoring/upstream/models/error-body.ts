import type { UpstreamAnswer } from "../http.ts";
import { isObject } from "../lenient-json.ts";

/** An error as servers of language models report it. */
export interface ServerError {
  readonly message: string;
  /** A status or a word such as `model_not_found`; empty if there is none. */
  readonly code: string;
}

/** Servers may repeat the whole request in a message. */
const longestMessage = 2_000;

/** Finds the error in a body: `{error: "..."}`, `{error: {message, code}}`, `{detail: ...}` or `{message}`. Undefined if there is none. */
export function errorIn(text: string): ServerError | undefined {
  const body = parsed(text);
  const answer = Array.isArray(body) ? body[0] : body;
  if (!isObject(answer)) return undefined;
  const { error, detail } = answer;
  if (typeof error === "string" && error.trim() !== "") return { message: error.slice(0, longestMessage), code: "" };
  if (isObject(error)) {
    const { message, code, status, type } = error;
    const words = [code, status, type].filter((word) => typeof word === "string" || typeof word === "number");
    return { message: textOf(message ?? error), code: words.join(" ") };
  }
  if (detail !== undefined && detail !== null) return { message: textOf(detail), code: "" };
  const blocked = isObject(answer["promptFeedback"]) ? answer["promptFeedback"]["blockReason"] : undefined;
  if (typeof blocked === "string" && answer["candidates"] === undefined)
    return { message: `blocked by the provider: ${blocked}`, code: "" };
  const { object, message } = answer;
  return object === "error" || (typeof message === "string" && Object.keys(answer).length <= 4)
    ? { message: textOf(message), code: "" }
    : undefined;
}

function textOf(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).slice(0, longestMessage);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const loading = /\b(?:loading model|model is (?:still )?(?:being loaded|loading)|currently loading)\b/i;
const wrongKey =
  /api[ _-]?key (?:not valid|expired|not found)|(?:incorrect|invalid|missing) api[ _-]?key|API_KEY_INVALID|no auth credentials/i;
const busyWords = /server busy|maximum pending requests|overloaded|rate limit/i;
/** OpenAI calls an empty account a rate limit, and no wait ends it. */
const noMoney = /insufficient_quota|exceeded your current quota|insufficient (?:credits|balance)/i;
/** llama.cpp and Ollama call a picture that their model cannot see their own failure. */
const noEyes = /image input is not supported|missing data required for image|does not support image|mmproj/i;
const noModel = /\bmodels?\b.{0,100}(?:not found|does not exist)|model_not_found|no models? loaded/i;
/** LM Studio's answer, with status 200, to a path that it does not know. */
const unknownPath = /unexpected endpoint or method/i;

/**
 * Gives an answer the status that it should have: some servers report an error with status 200, a wrong key with 400, and a model that is
 * being loaded with 503. An answer that is a success stays as it is.
 */
export function withProperStatus(answer: UpstreamAnswer): UpstreamAnswer {
  const error = errorIn(answer.text);
  if (!error || (answer.status === 200 && hasAnswer(answer.text))) return answer;
  const all = `${error.code} ${error.message}`;
  const as = (status: number): UpstreamAnswer => ({ ...answer, status });
  if (loading.test(all)) return as(425);
  if (unknownPath.test(all)) return as(404);
  if (noModel.test(all)) return as(404);
  if (noEyes.test(all)) return as(400);
  if (wrongKey.test(all)) return as(401);
  if (noMoney.test(all)) return as(402);
  if (answer.status === 503 && busyWords.test(all)) return as(429);
  if (answer.status !== 200) return answer;
  const told = Number(/\b[45]\d\d\b/.exec(error.code)?.[0] ?? Number.NaN);
  return as(Number.isNaN(told) ? 400 : told);
}

/** Some servers send `error: null` or a note beside a real answer. */
function hasAnswer(text: string): boolean {
  const body = parsed(text);
  return (
    isObject(body) &&
    ["choices", "message", "content", "candidates", "response"].some(
      (name) => body[name] !== undefined && body[name] !== null && body[name] !== "",
    )
  );
}
