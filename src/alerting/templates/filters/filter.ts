import type { Signature } from "../arguments.ts";
import { Fault } from "../error.ts";
import { itemOf } from "../lookup.ts";
import type { Run } from "../run.ts";
import { type Given, Markup, textOf, typeOf, Undefined, type Value } from "../value.ts";

/** A filter: its parameters beside the value, and its implementation. With the signature `any` it reads `given` directly. */
export interface Filter extends Signature {
  readonly apply: (run: Run, value: Value, args: readonly (Value | undefined)[], given: Given) => Value;
}

/** Returns the text of a value that must be text. Throws `Fault`. */
export function textOnly(filter: string, value: Value): string {
  const text = textOf(value);
  if (text === null) throw new Fault(filter, `${filter} needs a text, not ${typeOf(value)}; add |string before it`);
  return text;
}

/** Marks the result as escaped if the value was. */
export function like(value: Value, text: string): Value {
  return value instanceof Markup ? new Markup(text) : text;
}

/**
 * Returns a reader for an attribute path such as `bbox.x` or `0`, as in `map(attribute=...)`; a number is an index. Missing attributes
 * are undefined, or the fallback. Throws `Fault` for a path that is neither text nor an integer.
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

/** Lower-cases texts and leaves other values alone: the default of filters that sort or compare. */
export function ignoringCase(value: Value): Value {
  const text = textOf(value);
  return text === null ? value : text.toLowerCase();
}
