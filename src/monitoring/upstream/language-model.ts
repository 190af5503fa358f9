import { cleanText, highest, readAnswer, type Verdict } from "./answer.ts";
import { excerpt, type Unavailable } from "./call.ts";
import type { Completion } from "./completion.ts";
import type { EventFacts } from "./facts.ts";
import { ModelServer, type ModelServerOptions, type ServerFacts, type Sight } from "./model-server.ts";
import type { Question } from "./models/tries.ts";
import type { Picture } from "./multipart.ts";
import type { Probe } from "./probe.ts";
import { mostShortness, writePrompt, writeRepairPrompt } from "./prompt.ts";
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
      /** Number of pictures that the model saw. */
      readonly pictures?: number;
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
  judge(facts: EventFacts, signal?: AbortSignal, pictures?: readonly Picture[]): Promise<Judgement>;
  /** Tells whether it may get pictures, as far as that is known. Never throws. */
  takesPictures(): Promise<boolean>;
  /** Why its model is known not to see pictures; undefined while it is not. */
  blindness(): string | undefined;
  /** Asks whether its model sees, unless that is known. Never throws because of the service. */
  look(signal?: AbortSignal): Promise<Sight>;
  /** Asks for the health of its server. Never throws. */
  health(timeoutMs: number): Promise<Probe>;
  /** Facts about its server; undefined before the first question. */
  facts(): ServerFacts | undefined;
  close(): Promise<void>;
}

export interface LanguageModelOptions extends ModelServerOptions {
  /** Name of the model if the service does not report one. */
  readonly label?: string;
  /** Language of the home, as a tag such as `de`: that of the prompt and the answer (default English). */
  readonly language?: string;
  /** Time limit for one answer, also for the trial of a half-open breaker: a model that needs a minute would fail any shorter trial. */
  readonly timeoutMs?: number;
}

/** A verdict takes 300 tokens; the rest is for models that write down their thoughts. */
const maxTokens = 2_048;
/** For a second try after an answer that reached the limit. */
const moreTokens = 4 * maxTokens;
const defaultTimeoutMs = 120_000;
const longestAnswer = 8_000;
const maxModelName = 200;

type Completed = Completion & {
  readonly kind: "completed";
  readonly analyzedBy: string;
  readonly tookMs: number;
  /** The prompt that it answers, which may have been shortened. */
  readonly sent: string;
  readonly pictures: number;
};
type Rejected = Extract<Judgement, { kind: "rejected" }>;

/** One event and how to ask about it. */
interface Case {
  readonly server: ModelServer;
  readonly options: LanguageModelOptions;
  readonly facts: EventFacts;
  readonly pictures: readonly Picture[];
  readonly signal: AbortSignal | undefined;
}

/** Creates the client of the language model, by the API that is configured or found out (`ModelServer`). */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const server = new ModelServer(options);
  return {
    judge: (facts, signal, pictures = []) => judge({ server, options, facts, pictures, signal }),
    takesPictures: () => server.takesPictures(),
    blindness: () => server.blindness(),
    look: (signal) => server.look(options.timeoutMs ?? defaultTimeoutMs, writePrompt(referenceFacts), signal),
    health: (timeoutMs) => server.health(timeoutMs),
    facts: () => server.facts(),
    close: () => server.close(),
  };
}

async function judge(asked: Case): Promise<Judgement> {
  const { options, facts } = asked;
  const { language = "en" } = options;
  const prompt = (shortness: number, shown: number): string | undefined =>
    shortness > mostShortness ? undefined : writePrompt(facts, { language, shortness, pictures: shown });
  const first = await complete(asked, { prompt, tokens: maxTokens });
  if (first.kind !== "completed") return first;
  const reading = readAnswer(first.content);
  if (reading.ok) return judged(reading.verdict, first);
  options.log.warn({ error: reading.error, answer: excerpt(first.content) }, "the language model's answer could not be read; asking again");
  const tokens = first.isCut || reading.isCut ? tokensWithin(options, first.tookMs) : maxTokens;
  const error = first.isCut ? `${reading.error}; the answer reached the limit of ${maxTokens} tokens` : reading.error;
  const repair = (shortness: number): string | undefined =>
    shortness > 0 ? undefined : writeRepairPrompt(first.sent, first.content, error);
  let second = await complete(asked, { prompt: repair, tokens });
  if (second.kind === "rejected" && tokens > maxTokens) {
    // The context of the model may be too small for that number.
    second = await complete(asked, { prompt: repair, tokens: maxTokens });
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

function judged(verdict: Verdict, { content, analyzedBy, pictures }: Completed): Extract<Judgement, { kind: "judged" }> {
  return { kind: "judged", verdict, analyzedBy, answer: cleanText(content, longestAnswer), ...(pictures > 0 && { pictures }) };
}

function unreadable({ content, analyzedBy }: Completed): Judgement {
  const reading = readAnswer(content);
  return { kind: "unreadable", error: reading.ok ? "" : reading.error, analyzedBy, answer: cleanText(content, longestAnswer) };
}

async function complete(
  { server, options, pictures, signal }: Case,
  { prompt, tokens }: Pick<Question, "prompt" | "tokens">,
): Promise<Completed | Rejected | Unavailable> {
  const { label = "language model", timeoutMs = defaultTimeoutMs, clock } = options;
  const startedAt = clock.monotonic();
  const question = { prompt, tokens, pictures, isVerdict: true, timeoutMs };
  const result = await server.ask(question, writePrompt(referenceFacts), signal);
  if (result.kind === "refused") return { kind: "rejected", error: result.detail, analyzedBy: label, answer: null };
  if (result.kind === "unavailable") return result;
  const analyzedBy = cleanText(result.model, maxModelName) || label;
  return { ...result, analyzedBy, tookMs: clock.monotonic() - startedAt };
}
