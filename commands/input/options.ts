import { nearest } from "../../src/platform/config/nearest.ts";
import { mostRows } from "../output/pages.ts";
import { parseSeconds } from "./time.ts";

/**
 * What the ids of an argument or option name. `cameraFilter` is a filter, for which the daemon accepts any text. Events and detections
 * have numbers, which are typed as they are.
 */
export type IdKind =
  | (
      | "camera"
      | "cameraFilter"
      | "deletedCamera"
      | "rule"
      | "webhook"
      | "channel"
      | "recipient"
      | "alert"
      | "silence"
      | "share"
      | "entity"
      | "delivery"
    )
  | ("event" | "deletedEvent" | "detection" | "check");

/** The same argument or option, whose texts are ids: short ids and names also work, and completion offers them. */
export function idOf<T extends object>(kind: IdKind, value: T): T & { readonly idOf: IdKind } {
  return { ...value, idOf: kind };
}

/** One option of a command. `T` is what the command receives. */
export interface Option<T> {
  readonly description: string;
  /** The flag (without dashes) if it differs from the name of the API's field, which stays a second, hidden flag. */
  readonly flag?: string;
  /** What its texts name. The command receives whole ids. */
  readonly idOf?: IdKind;
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

/** The --limit of a list. */
export function rowLimit(fallback: number): Option<number> {
  return withDefault(integer("n", 1, mostRows, "Maximum number of rows"), fallback);
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
