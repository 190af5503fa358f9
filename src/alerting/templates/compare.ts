import { Fault, missing } from "./error.ts";
import { compareNumbers, floatText, numericOf } from "./number.ts";
import type { Run } from "./run.ts";
import { compareText } from "./text.ts";
import { Dict, List, Range, Stream, Tuple, textOf, typeOf, Undefined, type Value, View } from "./value.ts";

/** Compares two values as Python does: `1 == 1.0 == true`, lists item by item. */
export function equal(run: Run, left: Value, right: Value): boolean {
  run.spend(1);
  const [a, b] = [numericOf(left), numericOf(right)];
  if (a !== null || b !== null) return a !== null && b !== null && compareNumbers(a, b) === 0;
  const text = textOf(left);
  if (text !== null) return text === textOf(right);
  if (left instanceof Undefined) return right instanceof Undefined;
  if (
    (left instanceof List && right instanceof List) ||
    (left instanceof Tuple && right instanceof Tuple) ||
    (left instanceof Range && right instanceof Range)
  ) {
    return (
      left.items.length === right.items.length &&
      deeper(run, () => left.items.every((item, index) => equal(run, item, right.items[index] as Value)))
    );
  }
  if (left instanceof Dict && right instanceof Dict) {
    const other = right.entries;
    if (left.entries.size !== other.size) return false;
    return deeper(run, () =>
      [...left.entries].every(([key, [, item]]) => {
        const match = other.get(key);
        return match !== undefined && equal(run, item, match[1]);
      }),
    );
  }
  if (left instanceof View && right instanceof View && left !== right)
    throw new Fault(left.kind, `${left.kind} cannot be compared; add |list`);
  return left === right;
}

/** Returns the order of two values: negative, 0 or positive. Throws `Fault` for types that Python cannot order. */
export function order(run: Run, left: Value, right: Value): number {
  run.spend(1);
  for (const side of [left, right]) if (side instanceof Undefined) throw missing(side);
  const [a, b] = [numericOf(left), numericOf(right)];
  if (a !== null && b !== null) return compareNumbers(a, b);
  const [text, other] = [textOf(left), textOf(right)];
  if (text !== null && other !== null) {
    run.spend(Math.min(text.length, other.length) >> 6);
    return compareText(text, other);
  }
  if ((left instanceof List && right instanceof List) || (left instanceof Tuple && right instanceof Tuple)) {
    return deeper(run, () => {
      for (const [index, item] of left.items.entries()) {
        const match = right.items[index];
        if (match === undefined) return 1;
        if (!equal(run, item, match)) return order(run, item, match);
      }
      return left.items.length - right.items.length;
    });
  }
  throw new Fault(typeOf(left), `${typeOf(left)} and ${typeOf(right)} have no order; compare values of the same kind`);
}

/** Implements `item in container`. Throws `Fault` for a value that is no container. */
export function contains(run: Run, container: Value, item: Value): boolean {
  const text = textOf(container);
  if (text !== null) {
    const part = textOf(item);
    if (part === null) throw new Fault("in", `a text can contain a text only, not ${typeOf(item)}; add |string`);
    run.spend(1 + (text.length >> 4));
    return text.includes(part);
  }
  if (container instanceof Dict) return container.entries.has(keyOf(run, item));
  if (container instanceof Undefined) return false;
  return iterate(run, container).some((each) => equal(run, each, item));
}

/** Returns the items of an iterable value: the keys of a dict, the characters of a text. Throws `Fault`. */
export function iterate(run: Run, value: Value): readonly Value[] {
  const items = itemsOf(value);
  if (items === null) throw new Fault(typeOf(value), `${typeOf(value)} has no items to go through; use a list, a dict or a text`);
  run.spend(items.length);
  return items;
}

/** Tells whether a value is iterable. */
export function isIterable(value: Value): boolean {
  return value instanceof Stream || itemsOf(value) !== null;
}

function itemsOf(value: Value): readonly Value[] | null {
  if (value instanceof List || value instanceof Tuple || value instanceof Range || value instanceof View) return value.items;
  if (value instanceof Dict) return [...value.entries.values()].map(([key]) => key);
  if (value instanceof Undefined) return [];
  if (value instanceof Stream) {
    if (value.used) throw new Fault(value.maker, `the result of ${value.maker} was used before; add |list where it is made`);
    value.used = true;
    return value.items;
  }
  const text = textOf(value);
  return text === null ? null : Array.from(text);
}

/** Returns the key of a value in a dict; equal values have equal keys. Throws `Fault` for a value that cannot be a key. */
export function keyOf(run: Run, value: Value): string {
  run.spend(1);
  if (value === null) return "none";
  const number = numericOf(value);
  if (number !== null)
    return typeof number === "bigint" ? `n${number}` : `n${Number.isInteger(number) ? BigInt(number) : floatText(number)}`;
  const text = textOf(value);
  if (text !== null) return `s${text}`;
  if (value instanceof Undefined) return "undefined";
  if (value instanceof Tuple) {
    const keys = deeper(run, () => value.items.map((item) => keyOf(run, item)));
    return run.made(`t${keys.map((key) => `${key.length}:${key}`).join("")}`);
  }
  throw new Fault(typeOf(value), `${typeOf(value)} cannot be a key; use a text or a number`);
}

/** Builds a dict from pairs; a later key replaces an equal earlier one. Throws `Fault`. */
export function dictOf(run: Run, pairs: Iterable<readonly [Value, Value]>): Dict {
  const entries = new Map<string, readonly [Value, Value]>();
  for (const [key, value] of pairs) {
    const id = keyOf(run, key);
    entries.set(id, [entries.get(id)?.[0] ?? key, value]);
  }
  return new Dict(entries);
}

/** Looks up a text key in a dict. */
export function entryOf(dict: Dict, name: string): Value | undefined {
  return dict.entries.get(`s${name}`)?.[1];
}

function deeper<Result>(run: Run, work: () => Result): Result {
  run.enter();
  const result = work();
  run.depth -= 1;
  return result;
}
