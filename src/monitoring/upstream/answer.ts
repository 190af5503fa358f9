import { type Candidate, findCandidates } from "./answer-candidates.ts";
import { type Fields, isObject, parseLenient } from "./lenient-json.ts";

export interface RiskFactor {
  readonly name: string;
  /** Points of the score. */
  readonly contribution: number;
  readonly detail?: string;
}

/** A language model's verdict on an event. Its texts are clean (see `cleanText`), not empty and not too long. */
export interface Verdict {
  /** A whole number from 0 to 100. */
  readonly riskScore: number;
  readonly summary: string;
  readonly reasoning: string;
  readonly riskFactors: readonly RiskFactor[];
}

export type AnswerReading =
  | { readonly ok: true; readonly verdict: Verdict }
  /** The error, in words that help the model to correct its answer. */
  | { readonly ok: false; readonly error: string };

/** No model writes more drafts than this; a text with more candidates is a loop. */
const maxCandidates = 200;
const maxSummary = 500;
const maxReasoning = 4_000;
const maxFactors = 20;
const maxFactorName = 100;
const maxFactorDetail = 300;

/**
 * Finds the verdict in a language model's text: the last complete and valid verdict outside of thoughts, since models quote
 * examples and drafts before they answer. It may be surrounded by prose, in a code fence, in a list or inside another
 * object, and may be JSON as models write it (`parseLenient`). A number is never guessed: a score that is out of range, cut
 * off, a word or a fraction below 1 makes the answer unreadable.
 *
 * Never throws; linear in the length of the text.
 */
export function readAnswer(text: string): AnswerReading {
  const plain = text.replace(/[\uFEFF\0]/g, "");
  if (plain.trim() === "") return { ok: false, error: "the answer is empty" };
  const first = lastVerdict(plain, findCandidates(plain, true));
  if (first.ok) return first;
  // A stray quotation mark may have hidden the braces after it.
  const second = lastVerdict(plain, findCandidates(plain, false));
  return second.ok ? second : first;
}

function lastVerdict(text: string, candidates: readonly Candidate[]): AnswerReading {
  let error: string | undefined;
  // Objects nest, so the same text may be read several times. This bounds the total.
  let budget = 4 * text.length + 1_000;
  for (const { start, end } of candidates.slice(-maxCandidates).toReversed()) {
    budget -= end - start;
    if (budget < 0) break;
    const reading = readCandidate(text.slice(start, end));
    if (reading.ok) return reading;
    error ??= reading.error;
  }
  return { ok: false, error: error ?? missing(text) };
}

function missing(text: string): string {
  if (!/risk_?score/i.test(text)) return "there is no JSON object with a risk_score";
  return "there is no complete JSON object with a risk_score outside of the thoughts; was the answer cut off?";
}

function readCandidate(text: string): AnswerReading {
  try {
    return readVerdict(parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Unreadable) return { ok: false, error: error.message };
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseLenient(text);
  }
}

class Unreadable extends Error {
  override name = "Unreadable";
}

function readVerdict(value: unknown): AnswerReading {
  if (!isObject(value)) throw new Unreadable("the answer is not a JSON object");
  // riskScore, Risk_Score and "risk score" are the same name.
  const fields: Fields = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.toLowerCase().replace(/[_\s-]/g, ""), field]),
  );
  return {
    ok: true,
    verdict: {
      riskScore: readScore(fields["riskscore"]),
      summary: readText("summary", fields["summary"], maxSummary),
      reasoning: readText("reasoning", fields["reasoning"], maxReasoning),
      riskFactors: readFactors(fields["riskfactors"]),
    },
  };
}

/** Accepts `75`, `75.4` (rounded), `"75"`, `"75%"` and `"75/100"`. */
function readScore(value: unknown): number {
  if (value === undefined) throw new Unreadable("risk_score is missing");
  const written = typeof value === "string" ? /^\s*\+?(\d{1,3}(?:\.\d{1,9})?)\s*(?:%|\/\s*100)?\s*$/.exec(value)?.[1] : undefined;
  const score = typeof value === "number" ? value : Number(written ?? Number.NaN);
  // 0.8 may mean 80 of 100 or almost nothing.
  const isFraction = score > 0 && score < 1;
  if (!(score >= 0 && score <= 100) || isFraction) {
    throw new Unreadable(`risk_score must be a whole number from 0 to 100, not ${shown(value)}`);
  }
  return Math.round(score);
}

function readText(name: string, value: unknown, maxLength: number): string {
  if (value === undefined) throw new Unreadable(`${name} is missing`);
  if (typeof value !== "string") throw new Unreadable(`${name} must be a text, not ${shown(value)}`);
  const text = cleanText(value, maxLength);
  if (text === "") throw new Unreadable(`${name} is empty`);
  return text;
}

/** Reads the optional factors. Leaves out entries without a name or without a number. Also accepts `{"night": 20}`. */
function readFactors(value: unknown): RiskFactor[] {
  const entries = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.entries(value).map(([name, contribution]) => ({ name, contribution }))
      : [];
  const factors: RiskFactor[] = [];
  for (const entry of entries) {
    if (factors.length === maxFactors) break;
    if (!isObject(entry) || typeof entry["name"] !== "string") continue;
    const name = cleanText(entry["name"], maxFactorName);
    const contribution = readContribution(entry["contribution"]);
    if (name === "" || contribution === undefined) continue;
    const detail = typeof entry["detail"] === "string" ? cleanText(entry["detail"], maxFactorDetail) : "";
    factors.push(detail === "" ? { name, contribution } : { name, contribution, detail });
  }
  return factors;
}

function readContribution(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\s*[+-]?\d{1,3}(?:\.\d{1,9})?\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Math.abs(number) <= 1_000 ? number : undefined;
}

/**
 * Makes text from outside safe to store and show: removes control characters (PostgreSQL refuses NUL, terminals act on
 * others) and marks that change the writing direction, makes it well-formed, trims it and cuts it to `maxLength` UTF-16 units.
 */
export function cleanText(text: string, maxLength: number): string {
  // Cut first, so that discarded text need not be cleaned.
  const head = text.slice(0, 4 * maxLength);
  const clean = head
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "")
    .trim();
  const cut = clean.length > maxLength || head.length < text.length ? `${clean.slice(0, maxLength - 1)}…` : clean;
  return cut.replace(/\p{Cs}/gu, "\uFFFD");
}

function shown(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string"
    ? JSON.stringify(value.slice(0, 40))
    : Array.isArray(value)
      ? "a list"
      : value === null
        ? "null"
        : `a${typeof value === "object" ? "n" : ""} ${typeof value}`;
}
