import type { Argument } from "../command.ts";
import { oneOf, WrongValue } from "./options.ts";

/** Any text. */
export function textArgument(description: string): Argument<string> {
  return { description, read: (text) => text };
}

/** An integer id. */
export function idArgument(description: string): Argument<number> {
  return {
    description,
    read: (text) => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(value)) throw new WrongValue("an integer id such as 42");
      return value;
    },
  };
}

/** One of the given words, in any case. */
export function word<const T extends string>(words: readonly T[], description: string): Argument<T> {
  return { description: `${description}: ${words.join(", ")}`, choices: words, read: (text) => oneOf(words, text) };
}

/** One of the given words, in any case; optional. */
export function optionalWord<const T extends string>(words: readonly T[], description: string): Argument<T | undefined> {
  return { ...word(words, description), optional: true };
}

/** Any text; optional. */
export function optionalText(description: string): Argument<string | undefined> {
  return { description, optional: true, read: (text) => text };
}

/** Any number of texts. */
export function texts(description: string): Argument<readonly string[]> {
  return { description, optional: true, several: true, read: (text) => [text] };
}
