import type { Signature } from "../arguments.ts";
import { Fault } from "../error.ts";
import { itemOf } from "../lookup.ts";
import type { Run } from "../run.ts";
import { type Given, Markup, textOf, typeOf, Undefined, type Value } from "../value.ts";

/** A filter: what it takes beside the value, and what it makes of them. With the signature `any` it reads `given` itself. */
export interface Filter extends Signature {
  readonly apply: (run: Run, value: Value, args: readonly (Value | undefined)[], given: Given) => Value;
}

/** The text of a value that must be one. Throws `Fault`. */
export function textOnly(filter: string, value: Value): string {
  const text = textOf(value);
  if (text === null) throw new Fault(filter, `${filter} needs a text, not ${typeOf(value)}; add |string before it`);
  return text;
}

/** The result keeps the mark of escaped text that the value had. */
export function like(value: Value, text: string): Value {
  return value instanceof Markup ? new Markup(text) : text;
}

/**
 * Reads an attribute such as `bbox.x` or `0` of an item, as `map(attribute=...)` does; a number in it is a place. What is not there
 * is undefined, or the fallback. Throws `Fault` for a path that is neither a text nor an integer.
 */
export function attributeReader(run: Run, filter: string, attribute: Value | undefined, fallback?: Value): (item: Value) => Value {
  if (attribute === undefined || attribute === null) return (item) => item;
  const text = textOf(attribute);
  if (text === null && typeof attribute !== "bigint")
    throw new Fault(filter, `the attribute of ${filter} must be a text or a place; write it in quotes`);
  const path: Value[] = text === null ? [attribute] : text.split(".").map((part) => (/^[0-9]{1,15}$/.test(part) ? BigInt(part) : part));
  return (item) => {
    let at = item;
    for (const part of path) {
      run.spend(1);
      at = itemOf(run, at, part);
      if (at instanceof Undefined && fallback !== undefined && fallback !== null) at = fallback;
    }
    return at;
  };
}

/** Texts in lower case, everything else as it is: how sorting and comparing filters see values unless they are told otherwise. */
export function ignoringCase(value: Value): Value {
  const text = textOf(value);
  return text === null ? value : text.toLowerCase();
}
