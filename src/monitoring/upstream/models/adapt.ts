import type { UpstreamAnswer } from "../http.ts";
import type { Traits } from "./dialect.ts";
import { errorIn } from "./error-body.ts";

/** A change after a refusal: the server does not accept a part, or this one question is too long. */
export type Change =
  | { readonly traits: Traits /** The server did not say what it does not accept, so it may be something else. */; readonly isGuess?: true }
  | { readonly shorter: true };

const tooLong =
  /context.{0,30}(?:length|size|window|overflow)|maximum context|exceeds? the (?:available )?context|too many (?:input )?tokens|prompt is too long|input token count|context_length_exceeded|n_ctx|num_ctx|tokens to keep from the initial prompt/i;
const aboutPictures =
  /image|vision|multi-?modal|mmproj|picture|inline_?data|content.{0,40}must be a string|string type|unsupported content/i;
const fewerPictures = /(?:too many|at most|maximum|only|limit).{0,30}(?:\d|one|single).{0,20}images?|(?:too many|one|single) images?\b/i;
const aboutFormat = /response_?(?:format|schema|mime)|json_(?:schema|object)|json ?mode|structured output|grammar|\bformat\b|guided/i;
const aboutThinking = /think|reasoning_effort|chat_template_kwargs|\bbudget\b/i;
/** A provider's rules against the content of this one question. */
const aboutContent = /content[_ ]?(?:filter|policy|management)|block_?reason|blocked|safety|moderation/i;
const asksForField = /max_completion_tokens/i;
const formats = ["schema", "object", "text"] as const;

/**
 * Reads why a server refused a question (400, 413, 422 or the like), and returns what to change so that it may accept it; undefined if
 * there is nothing left to change. `pictures` is the number of pictures in the question.
 */
export function changeAfter(answer: UpstreamAnswer, traits: Traits, pictures: number): Change | undefined {
  const error = errorIn(answer.text);
  const text = error ? `${error.code} ${error.message}` : answer.text.slice(0, 2_000);
  const changed = (changes: Partial<Traits>): Change => ({ traits: { ...traits, ...changes } });
  if (traits.tokensField === "max_tokens" && asksForField.test(text)) return changed({ tokensField: "max_completion_tokens" });
  if (pictures > 1 && fewerPictures.test(text)) return changed({ mostPictures: 1 });
  if (tooLong.test(text) || (answer.status === 413 && pictures === 0)) return { shorter: true };
  if (traits.takesTemperature && /temperature/i.test(text)) return changed({ takesTemperature: false });
  if (traits.takesThinking && aboutThinking.test(text)) return changed({ takesThinking: false });
  if (traits.format !== "text" && aboutFormat.test(text)) return changed({ format: nextFormat(traits.format) });
  if (pictures > 0 && (answer.status === 413 || aboutPictures.test(text))) return changed({ sees: false });
  if (aboutContent.test(text)) return undefined;
  // Without a known word, the parts that not every server knows go one after the other; the server may just be terse.
  const guess = (changes: Partial<Traits>): Change => ({ traits: { ...traits, ...changes }, isGuess: true });
  if (traits.takesThinking) return guess({ takesThinking: false });
  if (traits.format !== "text") return guess({ format: nextFormat(traits.format) });
  if (pictures > 0) return guess({ sees: false });
  return undefined;
}

function nextFormat(format: Traits["format"]): Traits["format"] {
  return formats[formats.indexOf(format) + 1] ?? "text";
}
