import { EventFacts } from "./facts.ts";
import { promptWords } from "./prompt-words.ts";

const opening = "<facts>";
const closing = "</facts>";
/** Text read from a picture may fill a page. This many characters are enough to judge it. */
const maxContent = 500;
const maxReadings = 40;
const maxQuotedAnswer = 4_000;

/** How to write a prompt. */
export interface PromptStyle {
  /** Language of the home, as a tag such as `en` or `de` (default `en`): that of the prompt if homesec knows it, and of the answer. */
  readonly language?: string;
  /** 0 is whole; each higher number has fewer and shorter texts. */
  readonly shortness?: number;
  /** Number of pictures beside the prompt. */
  readonly pictures?: number;
}

/** How many texts and characters of each stay, from whole to short. */
const lengths = [
  { readings: maxReadings, content: maxContent },
  { readings: 10, content: 150 },
  { readings: 3, content: 60 },
  { readings: 0, content: 0 },
] as const;
export const mostShortness = lengths.length - 1;

/**
 * Writes the prompt for the language model: the task, the facts as one JSON block and the shape of the answer. Texts from
 * pictures and people are quoted strings inside the block. They cannot end it, since the block contains no angle brackets.
 */
export function writePrompt(facts: EventFacts, { language = "en", shortness = 0, pictures = 0 }: PromptStyle = {}): string {
  const most = lengths[Math.min(shortness, mostShortness)] ?? lengths[0];
  const readings = facts.readings
    .slice(0, most.readings)
    .map((reading) => ({ ...reading, content: reading.content.slice(0, most.content) }));
  const words = promptWords(language);
  return `${words.task}

${words.data(opening, closing)}${pictures > 0 ? `\n${words.pictures}` : ""}

${words.numbers}${facts.parked ? ` ${words.parked}` : ""}${facts.departure ? ` ${words.departure}` : ""}

${words.judge}

${opening}
${quote({ ...facts, readings })}
${closing}

${words.answer}`;
}

/** Writes the second prompt after an unreadable answer: the first one, the answer as data, and the error. */
export function writeRepairPrompt(prompt: string, answer: string, error: string): string {
  return `${prompt}

Your last answer to this could not be read. It was, as a JSON string: ${quote(answer.slice(0, maxQuotedAnswer))}
What was wrong: ${quote(error)}
Answer again, with the JSON object only: no other words, no code fence, no comments.`;
}

/** Finds the facts in a prompt of `writePrompt`. Returns undefined if there are none. */
export function readFacts(prompt: string): EventFacts | undefined {
  const start = prompt.indexOf(`\n${opening}\n`);
  const end = prompt.indexOf(`\n${closing}\n`, start);
  if (start < 0 || end < 0) return undefined;
  try {
    return EventFacts.safeParse(JSON.parse(prompt.slice(start + opening.length + 2, end))).data;
  } catch {
    return undefined;
  }
}

/** Writes JSON without angle brackets and without the line separators that JSON allows in strings. */
function quote(value: unknown): string {
  return JSON.stringify(value).replace(/[<>\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
