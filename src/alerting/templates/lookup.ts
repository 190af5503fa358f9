import { entryOf, keyOf } from "./compare.ts";
import { Fault, missing } from "./error.ts";
import { methodOf, unsupportedMethods } from "./methods.ts";
import { numericOf } from "./number.ts";
import type { Run } from "./run.ts";
import { charactersOf } from "./text.ts";
import { Dict, Helper, List, Markup, Namespace, Range, Tuple, textOf, typeOf, Undefined, type Value } from "./value.ts";

/**
 * Evaluates `object.name`: a method or attribute first, then a key, as in Jinja2. Throws `Fault` for undefined objects and for internals.
 */
export function attributeOf(run: Run, object: Value, name: string): Value {
  const attribute = ownAttribute(run, object, name);
  if (attribute !== undefined) return attribute;
  const entry = object instanceof Dict ? entryOf(object, name) : undefined;
  return entry === undefined ? nothing(object, name) : entry;
}

/** Evaluates `object[key]`: a key or index first, then an attribute. Throws `Fault`. */
export function itemOf(run: Run, object: Value, key: Value): Value {
  if (object instanceof Undefined) throw missing(object);
  if (object instanceof Dict) {
    const entry = key instanceof List || key instanceof Dict ? undefined : object.entries.get(keyOf(run, key))?.[1];
    if (entry !== undefined) return entry;
  }
  const place = typeof key === "number" ? null : numericOf(key);
  if (place !== null) {
    const item = placeOf(object, place as bigint);
    if (item !== undefined) return item;
  }
  const name = textOf(key);
  if (name === null) return new Undefined(`element ${typeof key === "bigint" ? key : typeOf(key)}`);
  return bareAttribute(run, object, name);
}

/** Reads the attribute only, never a key, as the filter `attr` does. */
export function bareAttribute(run: Run, object: Value, name: string): Value {
  const attribute = ownAttribute(run, object, name);
  return attribute === undefined ? nothing(object, name) : attribute;
}

function nothing(object: Value, name: string): Value {
  if (name.startsWith("__")) throw new Fault(name, `${name} is closed off; templates see plain data only`);
  return new Undefined(`${name} (of ${typeOf(object)})`);
}

function ownAttribute(run: Run, object: Value, name: string): Value | undefined {
  if (object instanceof Undefined) throw missing(object);
  if (object instanceof Helper) {
    const attribute = object.attributes.get(name);
    if (attribute === undefined)
      throw new Fault(name, `${name} of ${object.name} is closed off; call ${object.name} with () or leave it out`);
    return attribute();
  }
  if (object instanceof Namespace) return object.values.get(name);
  if (object instanceof Tuple) {
    const place = object.names.indexOf(name);
    if (place !== -1) return object.items[place];
  }
  const method = methodOf(run, object, name);
  if (method === null && unsupportedMethods(object, name)) {
    throw new Fault(name, `${name} of ${typeOf(object)} is not supported; use a filter instead, or ['${name}'] for a key of that name`);
  }
  return method ?? undefined;
}

function placeOf(object: Value, place: bigint): Value | undefined {
  const text = textOf(object);
  if (text === null && !(object instanceof List || object instanceof Tuple || object instanceof Range)) return undefined;
  const items = text === null ? (object as List).items : charactersOf(text);
  const index = place < 0n ? BigInt(items.length) + place : place;
  const item = index < 0n || index >= BigInt(items.length) ? undefined : items[Number(index)];
  return item !== undefined && object instanceof Markup ? new Markup(item as string) : item;
}

/** Evaluates `object[start:stop:step]` of a text, list or tuple; null is an open end. Throws `Fault`. */
export function sliceOf(run: Run, object: Value, start: Value, stop: Value, step: Value): Value {
  if (object instanceof Undefined) throw missing(object);
  const text = textOf(object);
  if (text === null && !(object instanceof List || object instanceof Tuple)) {
    throw new Fault("[:]", `${typeOf(object)} has no parts to take by [start:stop]; add |list`);
  }
  const items: readonly Value[] = text === null ? (object as List).items : charactersOf(text);
  const by = bound(step, 1);
  if (by === 0) throw new Fault("[:]", "the step of a slice cannot be 0; write 1 or more, or -1 to go backwards");
  const length = items.length;
  const clamp = (value: number) => Math.max(by < 0 ? -1 : 0, Math.min(by < 0 ? length - 1 : length, value < 0 ? value + length : value));
  const from = start === null ? (by < 0 ? length - 1 : 0) : clamp(bound(start, 0));
  const to = stop === null ? (by < 0 ? -1 : length) : clamp(bound(stop, 0));
  const taken: Value[] = [];
  for (let at = from; by > 0 ? at < to : at > to; at += by) taken.push(items[at] as Value);
  run.spend(taken.length);
  if (text !== null) return object instanceof Markup ? new Markup(taken.join("")) : taken.join("");
  return object instanceof List ? new List(taken) : new Tuple(taken);
}

function bound(value: Value, fallback: number): number {
  if (value === null) return fallback;
  const number = numericOf(value);
  if (typeof number !== "bigint") throw new Fault("[:]", `the bounds of a slice must be integers, not ${typeOf(value)}; add |int`);
  return Number(number > 1_000_000_000n ? 1_000_000_000n : number < -1_000_000_000n ? -1_000_000_000n : number);
}
