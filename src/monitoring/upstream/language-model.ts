import { z } from "zod";
import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { cleanText, readAnswer, type Verdict } from "./answer.ts";
import type { Breaker } from "./breaker.ts";
import { callService, excerpt, parseJson, type Unavailable } from "./call.ts";
import type { EventFacts } from "./facts.ts";
import { UpstreamFailure, type UpstreamHttp, upstreamHttp } from "./http.ts";
import { writePrompt, writeRepairPrompt } from "./prompt.ts";

/** The outcome of judging an event. `answer` is the model's text, cut for storage. */
export type Judgement =
  | { readonly kind: "judged"; readonly verdict: Verdict; readonly analyzedBy: string; readonly answer: string }
  /** Neither of two answers contained a readable verdict. */
  | { readonly kind: "unreadable"; readonly error: string; readonly analyzedBy: string; readonly answer: string }
  /** The model refuses this prompt for good (4xx). */
  | { readonly kind: "rejected"; readonly error: string; readonly analyzedBy: string; readonly answer: null }
  | Unavailable;

export interface LanguageModel {
  /**
   * Judges an event. After an unreadable answer it asks a second time and names the error. Never throws because of the
   * service; throws the signal's reason if the caller cancelled.
   */
  judge(facts: EventFacts, signal?: AbortSignal): Promise<Judgement>;
  close(): Promise<void>;
}

export interface LanguageModelOptions {
  /** A function if the address can change while the daemon runs. */
  readonly url: string | (() => string);
  /** Name of the model if the service does not report one. */
  readonly label?: string;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit for one answer, also for the trial of a half-open breaker: a model that needs a minute would fail any shorter trial. */
  readonly timeoutMs?: number;
}

/** A verdict takes 300 tokens; the rest is for models that write down their thoughts. */
const maxTokens = 2_048;
/** Low: the same event should get the same score. */
const temperature = 0.1;
const longestAnswer = 8_000;
const maxModelName = 200;

const Completion = z.object({ content: z.string(), model: z.string().optional().catch(undefined) });
type Completed = { readonly kind: "completed"; readonly content: string; readonly analyzedBy: string };

/** Creates the client of the language model: `POST {url}/completion`. */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const http = upstreamHttp();
  return { judge: (facts, signal) => judge(http, options, facts, signal), close: () => http.close() };
}

async function judge(http: UpstreamHttp, options: LanguageModelOptions, facts: EventFacts, signal?: AbortSignal): Promise<Judgement> {
  const prompt = writePrompt(facts);
  const first = await complete(http, options, prompt, signal);
  if (first.kind !== "completed") return first;
  const reading = readAnswer(first.content);
  if (reading.ok) return judged(reading.verdict, first);
  options.log.warn({ error: reading.error, answer: excerpt(first.content) }, "the language model's answer could not be read; asking again");
  const second = await complete(http, options, writeRepairPrompt(prompt, first.content, reading.error), signal);
  if (second.kind !== "completed") return second;
  const rereading = readAnswer(second.content);
  if (rereading.ok) return judged(rereading.verdict, second);
  return { kind: "unreadable", error: rereading.error, analyzedBy: second.analyzedBy, answer: cleanText(second.content, longestAnswer) };
}

function judged(verdict: Verdict, { content, analyzedBy }: Completed): Judgement {
  return { kind: "judged", verdict, analyzedBy, answer: cleanText(content, longestAnswer) };
}

async function complete(
  http: UpstreamHttp,
  options: LanguageModelOptions,
  prompt: string,
  signal?: AbortSignal,
): Promise<Completed | Extract<Judgement, { kind: "rejected" }> | Unavailable> {
  const { url, label = "language model", timeoutMs = 120_000 } = options;
  const result = await callService(http, options, {
    baseUrl: typeof url === "string" ? url : url(),
    path: "/completion",
    contentType: "application/json",
    body: JSON.stringify({ prompt, max_tokens: maxTokens, temperature }),
    timeoutMs,
    signal,
    read: readCompletion,
    lines: { refused: "the language model refused a prompt", failed: "the call to the language model failed" },
  });
  if (result.kind === "refused") return { kind: "rejected", error: result.detail, analyzedBy: label, answer: null };
  if (result.kind === "unavailable") return result;
  const { content, model } = result.value;
  return { kind: "completed", content, analyzedBy: cleanText(model ?? "", maxModelName) || label };
}

function readCompletion(text: string): z.output<typeof Completion> {
  const completion = Completion.safeParse(parseJson(text));
  if (completion.success) return completion.data;
  throw new UpstreamFailure("unreadable", `the answer has no text in "content"${excerpt(text)}`);
}
