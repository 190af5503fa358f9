import { parseJson } from "./call.ts";
import { UpstreamFailure } from "./http.ts";
import { isObject } from "./lenient-json.ts";
import { unstreamed } from "./models/streamed.ts";

/** A language model's text, as its server sent it. */
export interface Completion {
  readonly content: string;
  /** Name of the model; empty if the server does not report one. */
  readonly model: string;
  /** The server says that the text ended at the token limit. */
  readonly isCut: boolean;
  /** The server streamed it, although it was asked not to. */
  readonly isStreamed: boolean;
}

type Place = readonly (string | number)[];

/** Where servers put the text, best first: the answer, then the arguments of a tool call, then thoughts. */
const textPlaces: readonly Place[] = [
  ...["content", "response", "text", "completion", "generated_text", "output"].map((name) => [name]),
  ["message", "content"],
  ["choices", 0, "text"],
  ["choices", 0, "message", "content"],
  ["candidates", 0, "content", "parts"],
  ...[[], ["message"], ["choices", 0, "message"]].flatMap((parent) => [
    [...parent, "tool_calls", 0, "function", "arguments"],
    [...parent, "function_call", "arguments"],
  ]),
  // The answer itself may be the verdict.
  [],
  ...[[], ["message"], ["choices", 0, "message"]].flatMap((parent) =>
    ["reasoning_content", "reasoning", "thinking"].map((name) => [...parent, name]),
  ),
];
/** Where servers say why the text ended. */
const endPlaces: readonly Place[] = [
  ...["finish_reason", "stop_reason", "done_reason", "stop_type"].map((name) => [name]),
  ["choices", 0, "finish_reason"],
  ["candidates", 0, "finishReason"],
];
const limitReached: readonly unknown[] = ["length", "limit", "max_tokens", "max_length", "MAX_TOKENS"];
const scoreName = /risk[_\s-]?score/i;

/**
 * Reads the answer of a language model's server: the text is in `content`, or where servers in the style of OpenAI, Ollama, llama.cpp or
 * Gemini put it. A streamed answer is joined first. Throws `UpstreamFailure` (`unreadable`) if there is no text.
 */
export function readCompletion(text: string): Completion {
  const whole = unstreamed(text);
  const json = parseJson(whole);
  const answer = Array.isArray(json) ? json[0] : json;
  if (!isObject(answer)) throw noText(text);
  const texts = textPlaces.map((place) => textOf(valueAt(answer, place))).filter((found) => found !== undefined);
  const content = texts.find((found) => found.trim() !== "") ?? texts[0];
  if (content === undefined) throw noText(text);
  const { modelVersion, model = modelVersion, stopped_limit: isStopped } = answer;
  const isCut = isStopped === true || endPlaces.some((place) => limitReached.includes(valueAt(answer, place)));
  return { content, model: typeof model === "string" ? model : "", isCut, isStreamed: whole !== text };
}

function noText(answer: string): UpstreamFailure {
  return new UpstreamFailure("unreadable", 'the answer has no text in "content"', { answer });
}

function valueAt(answer: unknown, place: Place): unknown {
  return place.reduce<unknown>((value, step) => {
    if (typeof step === "number") return Array.isArray(value) ? value[step] : undefined;
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, answer);
}

/** Returns a text, the joined parts of one, or a verdict that is already parsed. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (isObject(value)) return bareVerdict(value);
  if (!Array.isArray(value)) return undefined;
  const parts = value.flatMap((part) =>
    isObject(part) && typeof part["text"] === "string" && part["thought"] !== true ? [part["text"]] : [],
  );
  return parts.length > 0 ? parts.join("") : undefined;
}

function bareVerdict(value: object): string | undefined {
  return Object.keys(value).some((name) => scoreName.test(name)) ? JSON.stringify(value) : undefined;
}
