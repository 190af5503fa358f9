import { nearest } from "../../src/platform/config/nearest.ts";
import { mostRows } from "../output/pages.ts";
import { localTime } from "../output/terminal-format.ts";
import { parseDay, parseDuration, parseSeconds, parseTime } from "./time.ts";

/** One option of a command. `T` is what the command receives. */
export interface Option<T> {
  readonly description: string;
  /** The single-letter form. */
  readonly short?: string;
  /** The name of the value; options without one take no value. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  /** Adds `--no-...`. */
  readonly negatable?: boolean;
  readonly repeatable?: boolean;
  /** The default shown in help. */
  readonly fallback?: string;
  /** Parses the option. `texts` is empty if it was not given. Throws `WrongValue`. */
  read(given: Given): T;
}

/** The input for one option. */
export interface Given {
  readonly texts: readonly string[];
  /** `--name` or `--no-name`, for options without a value. */
  readonly set: boolean | undefined;
  readonly now: Date;
}

/** An invalid value; the message completes "must be ...". */
export class WrongValue extends Error {
  override name = "WrongValue";
}

/** An option without a value. */
export function flag(description: string): Option<boolean> {
  return { description, read: ({ set }) => set === true };
}

/** An option without a value, with its negation `--no-...`. */
export function toggle(description: string): Option<boolean | undefined> {
  return { description, negatable: true, read: ({ set }) => set };
}

/** An option with one value; the last one counts. `parse` throws `WrongValue`. */
export function single<T>(placeholder: string, description: string, parse: (text: string, now: Date) => T): Option<T | undefined> {
  const read = ({ texts, now }: Given): T | undefined => {
    const text = texts.at(-1);
    return text === undefined ? undefined : parse(text, now);
  };
  return { description, placeholder, read };
}

/** Any text. */
export function text(placeholder: string, description: string): Option<string | undefined> {
  return single(placeholder, description, (given) => given);
}

/** A list of texts, separated by commas or given by repeating the option. */
export function list(placeholder: string, description: string): Option<string[] | undefined> {
  return { description, placeholder, repeatable: true, read: ({ texts }) => (texts.length > 0 ? split(texts) : undefined) };
}

/** One of the given words, in any case. */
export function choice<const T extends string>(choices: readonly T[], description: string): Option<T | undefined> {
  return { ...single("word", description, (given) => oneOf(choices, given)), choices };
}

/** Some of the given words, separated by commas or given by repeating the option. */
export function choiceList<const T extends string>(choices: readonly T[], description: string): Option<T[] | undefined> {
  const words = list("word", description);
  return { ...words, choices, read: (given) => words.read(given)?.map((word) => oneOf(choices, word)) };
}

/** An integer from `minimum` to `maximum`. */
export function integer(placeholder: string, minimum: number, maximum: number, description: string): Option<number | undefined> {
  return single(placeholder, description, (given) => {
    const value = /^[+-]?\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= minimum && value <= maximum)) throw new WrongValue(`a whole number from ${minimum} to ${maximum}`);
    return value;
  });
}

/** A number from `minimum` to `maximum`. */
export function number(placeholder: string, minimum: number, maximum: number, description: string): Option<number | undefined> {
  return single(placeholder, description, (given) => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= minimum && value <= maximum)) throw new WrongValue(`a number from ${minimum} to ${maximum}`);
    return value;
  });
}

/** A duration such as 5m, in seconds from `minimum` to `maximum`; the unit is optional. */
export function seconds(minimum: number, maximum: number, description: string): Option<number | undefined> {
  return single("duration", description, (given) => {
    const value = parseSeconds(given) ?? Number.NaN;
    if (!(value >= minimum && value <= maximum))
      throw new WrongValue(`a duration from ${minimum} s to ${maximum} s, such as 90s, 5m or 2h`);
    return value;
  });
}

/** A time in any form that `parseTime` accepts. */
export function time(description: string): Option<Date | undefined> {
  return single("time", description, (given, now) => timeOf(given, now, "2026-01-31T22:15, 2026-01-31, 22:15, -2h or 'yesterday 21:00'"));
}

/** A future time in any form that `parseTime` accepts. */
export function futureTime(description: string): Option<Date | undefined> {
  return single("time", description, (given, now) => {
    const parsed = timeOf(given, now, "22:15, 'tomorrow 06:00' or 2026-01-31T22:15");
    if (parsed > now) return parsed;
    const [, today] = /^(?:today\s+)?(\d{1,2}:[\d:]+)$/i.exec(given.trim()) ?? [];
    throw new WrongValue(
      today === undefined
        ? `in the future (it is ${localTime(now)} now), such as 'tomorrow 06:00'`
        : `in the future; ${today} is over today, use 'tomorrow ${today}'`,
    );
  });
}

function timeOf(given: string, now: Date, examples: string): Date {
  const parsed = parseTime(given, now);
  if (parsed === undefined) throw new WrongValue(`a time such as ${examples}`);
  return parsed;
}

/** A day in any form that `parseDay` accepts, as `YYYY-MM-DD`. */
export function day(description: string): Option<string | undefined> {
  return single("day", description, (given, now) => {
    const parsed = parseDay(given, now);
    if (parsed === undefined) throw new WrongValue("a day such as 2026-01-31, yesterday or -30d");
    return parsed;
  });
}

/** The --limit of a list. */
export function rowLimit(fallback: number): Option<number> {
  return withDefault(integer("n", 1, mostRows, "Maximum number of rows"), fallback);
}

/** A past time in any form that `parseTime` accepts, or how long ago. `fallback` is the default. */
export function since(description: string, fallback: string): Option<Date> {
  const past = single("time", description, (given, now) => {
    const parsed = parseTime(parseDuration(given) === undefined ? given : `-${given.trim()}`, now);
    if (parsed === undefined) throw new WrongValue("a duration such as 30d, or a time such as 2026-01-31 or 'yesterday 21:00'");
    return parsed;
  });
  return { ...past, fallback, read: (given) => past.read({ ...given, texts: [fallback, ...given.texts] }) as Date };
}

/** The same option with a default. */
export function withDefault<T>(option: Option<T | undefined>, value: T): Option<T> {
  return { ...option, fallback: String(value), read: (given) => option.read(given) ?? value };
}

function split(texts: readonly string[]): string[] {
  return texts
    .flatMap((entry) => entry.split(","))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** The given word, in any case. Throws `WrongValue` with the accepted words and a suggestion. */
export function oneOf<T extends string>(choices: readonly T[], given: string): T {
  const found = choices.find((word) => word === given.toLowerCase());
  if (found !== undefined) return found;
  const guess = nearest(given, choices);
  throw new WrongValue(`one of ${choices.join(", ")}${guess === undefined ? "" : `; did you mean ${guess}?`}`);
}
