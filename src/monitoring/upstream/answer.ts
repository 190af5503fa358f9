import { type Candidates, findCandidates } from "./answer-candidates.ts";
import { type Fields, isObject, parseBeginning, parseLenient, toHalfWidth } from "./lenient-json.ts";

export interface RiskFactor {
  readonly name: string;
  /** Points of the score. */
  readonly contribution: number;
  readonly detail?: string;
}

/** A language model's verdict on an event. Its texts are clean (see `cleanText`) and not too long. */
export interface Verdict {
  /** A whole number from 0 to 100. */
  readonly riskScore: number;
  readonly summary: string;
  readonly reasoning: string;
  readonly riskFactors: readonly RiskFactor[];
}

export type AnswerReading =
  | { readonly ok: true; readonly verdict: Verdict }
  | {
      readonly ok: false;
      /** In words that help the model to correct its answer. */
      readonly error: string;
      /** The verdict to keep if the model gives no better answer. Its texts may be empty. */
      readonly fallback?: Verdict;
      /** The text breaks off in an object or in thoughts. */
      readonly isCut?: boolean;
    };

/** No model writes more drafts than this; a text with more candidates is a loop. */
const maxCandidates = 200;
/** Strings in strings that are read. */
const deepestQuote = 2;
const deepestField = 8;
const scoreName = /risk[_\s-]?score/i;
const maxSummary = 500;
const maxReasoning = 4_000;
const maxFactors = 20;
const maxFactorName = 100;
const maxFactorDetail = 300;

/**
 * Finds the verdict in a language model's text: the complete and valid one outside of thoughts. It may be surrounded by prose, in a code
 * fence, in a list, inside another object or quoted in a string, and may be JSON as models write it (`parseLenient`). A number is never
 * guessed: a score that is out of range, cut off, a word or a fraction below 1 makes the answer unreadable. Verdicts with different scores
 * do so too, since some servers let the model go on after its answer; the highest one is the fallback. A valid score without its texts is
 * a fallback as well.
 *
 * Never throws; linear in the length of the text.
 */
export function readAnswer(text: string): AnswerReading {
  return read(text, 0);
}

type Reading = AnswerReading & { readonly isDisagreement?: boolean };

/** `depth` counts the strings around the text. */
function read(text: string, depth: number): Reading {
  const plain = text.replace(/[\uFEFF\0]/g, "");
  if (plain.trim() === "") return { ok: false, error: "the answer is empty" };
  const unquoted = depth < deepestQuote && /^\s*"/.test(plain) ? parsedString(plain) : undefined;
  if (unquoted !== undefined) return read(unquoted, depth + 1);
  const shape = toHalfWidth(plain);
  const first = readCandidates(plain, findCandidates(shape, true), depth);
  if (first.ok || first.isDisagreement) return first;
  // A stray quotation mark may have hidden the braces after it.
  const second = readCandidates(plain, findCandidates(shape, false), depth);
  return second.ok || second.isDisagreement || (second.fallback && !first.fallback) ? second : first;
}

function readCandidates(text: string, { complete, cutAt, isCut }: Candidates, depth: number): Reading {
  const whole: Verdict[] = [];
  const partial: Verdict[] = [];
  let error: string | undefined;
  // Objects nest, so the same text may be read several times. This bounds the total.
  let budget = 4 * text.length + 1_000;
  let enclosing = text.length;
  for (const { start, end } of complete.slice(-maxCandidates).toReversed()) {
    // An example inside of a verdict is not another verdict.
    if (start >= enclosing) continue;
    budget -= end - start;
    if (budget < 0) break;
    const found = readCandidate(text.slice(start, end), depth);
    error ??= found.error;
    if (found.verdict === undefined) continue;
    if (found.error === undefined) {
      whole.push(found.verdict);
      enclosing = start;
    } else partial.push(found.verdict);
  }
  const [last] = whole;
  if (last) return agreed(last, whole);
  const cut = cutAt === undefined ? undefined : readCandidate(text.slice(cutAt), depth).verdict;
  const fallback = highest(cut ? [...partial, cut] : partial);
  return { ok: false, error: error ?? missing(text), isCut, ...(fallback && { fallback }) };
}

function agreed(last: Verdict, verdicts: readonly Verdict[]): Reading {
  const scores = [...new Set(verdicts.map(({ riskScore }) => riskScore))].toReversed();
  if (scores.length === 1) return { ok: true, verdict: last };
  const listed = scores.slice(0, 5).join(", ") + (scores.length > 5 ? ", ..." : "");
  const error = `the answer has verdicts with different scores (${listed}); it must have one`;
  return { ok: false, isDisagreement: true, error, fallback: highest(verdicts) ?? last };
}

/** Returns the verdict with the highest score, the last one of several. Expects the last one first. */
export function highest(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.reduce<Verdict | undefined>((most, one) => (most && most.riskScore >= one.riskScore ? most : one), undefined);
}

function missing(text: string): string {
  if (!scoreName.test(text)) return "there is no JSON object with a risk_score";
  return "there is no complete JSON object with a risk_score outside of the thoughts; was the answer cut off?";
}

/** The content of a candidate. With a verdict and an error, the score is valid and a text is not. */
interface Found {
  readonly verdict?: Verdict;
  readonly error?: string;
}

function readCandidate(text: string, depth: number): Found {
  try {
    return readVerdict(parse(text), depth);
  } catch (error) {
    if (error instanceof Unreadable) return { error: error.message };
    if (!(error instanceof SyntaxError)) throw error;
    return { ...beginningOf(text, depth), error: error.message };
  }
}

/** Reads what is certain in an object that breaks off or has a fault. */
function beginningOf(text: string, depth: number): Found {
  try {
    return readVerdict(parseBeginning(text), depth);
  } catch (error) {
    if (error instanceof Unreadable) return {};
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.includes('\\"') ? parseQuoted(text) : parseLenient(text);
  }
}

/** Parses an object whose quotes may all be escaped, because it stood in a string. */
function parseQuoted(text: string): unknown {
  try {
    return parseLenient(text);
  } catch (error) {
    try {
      return JSON.parse(JSON.parse(`"${text}"`));
    } catch {
      throw error;
    }
  }
}

class Unreadable extends Error {
  override name = "Unreadable";
}

function readVerdict(value: unknown, depth: number): Found {
  if (!isObject(value)) throw new Unreadable("the answer is not a JSON object");
  // riskScore, Risk_Score and "risk score" are the same name.
  const fields: Fields = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[_\s-]/g, ""),
      field,
    ]),
  );
  const quoted = fields["riskscore"] === undefined && depth < deepestQuote ? quotedAnswer(value) : undefined;
  if (quoted !== undefined) return foundIn(read(quoted, depth + 1));
  const riskScore = readScore(fields["riskscore"]);
  const summary = readText("summary", fields["summary"], maxSummary);
  const reasoning = readText("reasoning", fields["reasoning"], maxReasoning);
  const error = summary.error ?? reasoning.error;
  const verdict: Verdict = {
    riskScore,
    // An alert needs a sentence.
    summary: summary.text || cleanText(reasoning.text, maxSummary),
    reasoning: reasoning.text,
    riskFactors: readFactors(fields["riskfactors"]),
  };
  return error === undefined ? { verdict } : { verdict, error };
}

function foundIn(reading: AnswerReading): Found {
  if (reading.ok) return { verdict: reading.verdict };
  return reading.fallback ? { verdict: reading.fallback, error: reading.error } : { error: reading.error };
}

function parsedString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Finds an answer that is quoted as a string, as in the arguments of a tool call. */
function quotedAnswer(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return /[{｛]/.test(value) && scoreName.test(value) ? value : undefined;
  if (typeof value !== "object" || value === null || depth > deepestField) return undefined;
  for (const field of Object.values(value)) {
    const found = quotedAnswer(field, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Accepts `75`, `75.4` (rounded), `"75"`, `"75%"` and `"75/100"`, also with digits of full width. */
function readScore(value: unknown): number {
  if (value === undefined) throw new Unreadable("risk_score is missing");
  const text = typeof value === "string" ? value.slice(0, 100).normalize("NFKC") : "";
  const written = /^\s*\+?(\d{1,3}(?:\.\d{1,9})?)\s*(?:%|\/\s*100)?\s*$/.exec(text)?.[1];
  const score = typeof value === "number" ? value : Number(written ?? Number.NaN);
  // 0.8 may mean 80 of 100 or almost nothing.
  const isFraction = score > 0 && score < 1;
  if (!(score >= 0 && score <= 100) || isFraction) {
    throw new Unreadable(`risk_score must be a whole number from 0 to 100, not ${shown(value)}`);
  }
  return Math.round(score);
}

/** Reads a text, and what is wrong with it. A list of texts is joined, for the case that the model gives no better answer. */
function readText(name: string, value: unknown, maxLength: number): { readonly text: string; readonly error?: string } {
  if (value === undefined) return { text: "", error: `${name} is missing` };
  const isList = Array.isArray(value);
  const joined = isList ? value.filter((part) => typeof part === "string").join(" ") : value;
  const text = typeof joined === "string" ? cleanText(joined, maxLength) : "";
  if (typeof value !== "string") return { text, error: `${name} must be a text, not ${shown(value)}` };
  return text === "" ? { text, error: `${name} is empty` } : { text };
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
