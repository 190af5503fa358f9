import type { Argument } from "../command.ts";
import { WrongValue } from "./options.ts";

/** Any text. */
export function textArgument(description: string): Argument<string> {
  return { description, read: (text) => text };
}

/** The integer id of an event or a detection. */
export function idArgument(description: string): Argument<number> {
  return {
    description,
    read: (text) => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(value)) throw new WrongValue("an id, a whole number such as 42");
      return value;
    },
  };
}
