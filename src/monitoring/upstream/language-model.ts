import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { cleanText, highest, readAnswer, type Verdict } from "./answer.ts";
import type { Breaker } from "./breaker.ts";
import { callService, excerpt, type Unavailable } from "./call.ts";
import { type Completion, readCompletion } from "./completion.ts";
import type { EventFacts } from "./facts.ts";
import { type UpstreamHttp, upstreamHttp } from "./http.ts";
import { writePrompt, writeRepairPrompt } from "./prompt.ts";
import { referenceFacts } from "./reference.ts";

/** The outcome of judging an event. `answer` is the model's text, cut for storage. */
export type Judgement =
  | {
      readonly kind: "judged";
      readonly verdict: Verdict;
      readonly analyzedBy: string;
      readonly answer: string;
      /** The fault of both answers, and how homesec chose the score. */
      readonly note?: string;
    }
  /** Neither of two answers contained a valid score. */
  | { readonly kind: "unreadable"; readonly error: string; readonly analyzedBy: string; readonly answer: string }
  /** The model refuses this prompt for good, and goes on accepting others. */
  | { readonly kind: "rejected"; readonly error: string; readonly analyzedBy: string; readonly answer: null }
  | Unavailable;

export interface LanguageModel {
  /**
   * Judges an event. After an answer without one complete verdict it asks a second time and names the error; if the answer was cut off,
   * with more tokens. Of two such answers it keeps the highest valid score. Never throws because of the service; throws the signal's
   * reason if the caller cancelled.
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
/** For a second try after an answer that reached the limit. */
const moreTokens = 4 * maxTokens;
/** Enough to see that the model accepts prompts. */
const referenceTokens = 16;
/** Low: the same event should get the same score. */
const temperature = 0.1;
const defaultTimeoutMs = 120_000;
const longestAnswer = 8_000;
const maxModelName = 200;

type Completed = Completion & { readonly kind: "completed"; readonly analyzedBy: string; readonly tookMs: number };
type Rejected = Extract<Judgement, { kind: "rejected" }>;

/** Creates the client of the language model: `POST {url}/completion`. */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const http = upstreamHttp();
  return { judge: (facts, signal) => judge(http, options, facts, signal), close: () => http.close() };
}

async function judge(http: UpstreamHttp, options: LanguageModelOptions, facts: EventFacts, signal?: AbortSignal): Promise<Judgement> {
  const prompt = writePrompt(facts);
  const first = await complete(http, options, { prompt, tokens: maxTokens }, signal);
  if (first.kind !== "completed") return first;
  const reading = readAnswer(first.content);
  if (reading.ok) return judged(reading.verdict, first);
  options.log.warn({ error: reading.error, answer: excerpt(first.content) }, "the language model's answer could not be read; asking again");
  const tokens = first.isCut || reading.isCut ? tokensWithin(options, first.tookMs) : maxTokens;
  const error = first.isCut ? `${reading.error}; the answer reached the limit of ${maxTokens} tokens` : reading.error;
  const repair = writeRepairPrompt(prompt, first.content, error);
  let second = await complete(http, options, { prompt: repair, tokens }, signal);
  if (second.kind === "rejected" && tokens > maxTokens) {
    // The context of the model may be too small for that number.
    second = await complete(http, options, { prompt: repair, tokens: maxTokens }, signal);
  }
  if (second.kind === "unavailable") return second;
  const answers = second.kind === "completed" ? [second, first] : [first];
  return ofTwoAnswers(answers) ?? (second.kind === "rejected" ? second : unreadable(second));
}

/** Returns how many tokens may be asked for, so that the model, as fast as it was with the first answer, keeps the time limit. */
function tokensWithin({ timeoutMs = defaultTimeoutMs }: LanguageModelOptions, tookMs: number): number {
  return Math.max(maxTokens, Math.min(moreTokens, Math.floor((maxTokens * 0.8 * timeoutMs) / Math.max(1, tookMs))));
}

/** Judges by one or two answers, the latest first. Returns undefined if none has a valid score. */
function ofTwoAnswers(answers: readonly Completed[]): Judgement | undefined {
  const readings = answers.map((answer) => ({ answer, reading: readAnswer(answer.content) }));
  const [latest] = readings;
  if (latest?.reading.ok) return judged(latest.reading.verdict, latest.answer);
  const best = highest(readings.flatMap(({ reading }) => (!reading.ok && reading.fallback ? [reading.fallback] : [])));
  const from = readings.find(({ reading }) => !reading.ok && reading.fallback === best);
  if (!best || !from || from.reading.ok) return undefined;
  return { ...judged(best, from.answer), note: `${from.reading.error}; after a second try, homesec kept the highest valid score` };
}

function judged(verdict: Verdict, { content, analyzedBy }: Completed): Extract<Judgement, { kind: "judged" }> {
  return { kind: "judged", verdict, analyzedBy, answer: cleanText(content, longestAnswer) };
}

function unreadable({ content, analyzedBy }: Completed): Judgement {
  const reading = readAnswer(content);
  return { kind: "unreadable", error: reading.ok ? "" : reading.error, analyzedBy, answer: cleanText(content, longestAnswer) };
}

async function complete(
  http: UpstreamHttp,
  options: LanguageModelOptions,
  { prompt, tokens }: { readonly prompt: string; readonly tokens: number },
  signal?: AbortSignal,
): Promise<Completed | Rejected | Unavailable> {
  const { url, label = "language model", timeoutMs = defaultTimeoutMs, clock } = options;
  const body = (text: string, limit: number): string => JSON.stringify({ prompt: text, max_tokens: limit, temperature });
  const startedAt = clock.monotonic();
  const result = await callService(http, options, {
    baseUrl: typeof url === "string" ? url : url(),
    path: "/completion",
    contentType: "application/json",
    body: body(prompt, tokens),
    reference: () => body(writePrompt(referenceFacts), referenceTokens),
    timeoutMs,
    signal,
    read: readCompletion,
    lines: { refused: "the language model refused a prompt", failed: "the call to the language model failed" },
  });
  if (result.kind === "refused") return { kind: "rejected", error: result.detail, analyzedBy: label, answer: null };
  if (result.kind === "unavailable") return result;
  const analyzedBy = cleanText(result.value.model, maxModelName) || label;
  return { kind: "completed", ...result.value, analyzedBy, tookMs: clock.monotonic() - startedAt };
}
