import { z } from "zod";
import type { Steps } from "../base/async/slices.ts";
import { fromOutside, mostItems } from "./issues.ts";
import { holdsMoreValues } from "./text.ts";

type Issue = z.core.$ZodIssue;

/** zod checks values with fewer parts than this at once, in about a millisecond. */
const fewValues = 1_000;
const fewParts = 50;

/** The faults of an input: the first ones, which are reported, and the number of the others. An issue takes a hundred times the memory of a value. */
export interface Faults {
  readonly issues: Issue[];
  unreported: number;
}

/** The place of a value in its input. */
interface Place {
  readonly key: string | number;
  readonly parent: Place | undefined;
}

/**
 * Decodes a value by its schema like `safeParse`, with pauses: the parts of long lists and objects are checked one after the other. Adds to
 * `faults` what is wrong; the result is meaningless if something is.
 */
export function decodeInSteps(schema: z.ZodType, input: unknown, faults: Faults): Steps<unknown> {
  return decodeAt(schema, input, faults, undefined);
}

function* decodeAt(schema: z.ZodType, input: unknown, faults: Faults, place: Place | undefined): Steps<unknown> {
  const decodeParts = holdsMoreValues(input, fewValues) ? partsDecoder(schema, input) : undefined;
  if (!decodeParts) return decodeAtOnce(schema, input, faults, place);
  const before = faults.issues.length + faults.unreported;
  const decoded = yield* decodeParts(faults, place);
  const isFaulty = faults.issues.length + faults.unreported > before;
  // Checks of the whole run last and only if all parts are right, as in zod.
  return isFaulty || !hasChecks(schema) ? decoded : decodeAtOnce(schema, input, faults, place);
}

function hasChecks(schema: z.ZodType): boolean {
  return (schema.def.checks?.length ?? 0) > 0;
}

/** `first` is the position of the first item if the input is a part of a list. */
function decodeAtOnce(schema: z.ZodType, input: unknown, faults: Faults, place: Place | undefined, first = 0): unknown {
  const parsed = schema.safeParse(input, fromOutside);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) report(faults, place, issue, first);
  return undefined;
}

function report(faults: Faults, place: Place | undefined, issue: Issue, first = 0): void {
  if (faults.issues.length >= mostItems) {
    faults.unreported += 1;
    return;
  }
  const path = [...issue.path];
  if (typeof path[0] === "number") path[0] += first;
  for (let at = place; at; at = at.parent) path.unshift(at.key);
  faults.issues.push({ ...issue, path });
}

type Fields = Readonly<Record<string, unknown>>;
type DecodeParts = (faults: Faults, place: Place | undefined) => Steps<unknown>;

/** Returns how the parts of a long list or object are decoded, or undefined if zod has to do it at once. */
function partsDecoder(schema: z.ZodType, input: unknown): DecodeParts | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return hasChecks(schema) ? undefined : (faults, place) => decodeAt(schema.unwrap() as z.ZodType, input, faults, place);
  }
  if (Array.isArray(input)) {
    const element = schema instanceof z.ZodArray ? (schema.element as z.ZodType) : undefined;
    return element && !(element instanceof z.ZodUnknown) ? (faults, place) => decodeItems(element, input, faults, place) : undefined;
  }
  if (schema instanceof z.ZodRecord) {
    const { keyType, valueType } = schema;
    const isAnyKey = keyType instanceof z.ZodString && !hasChecks(keyType as z.ZodType);
    return isAnyKey ? (faults, place) => decodeEntries(valueType as z.ZodType, input as Fields, faults, place) : undefined;
  }
  if (!(schema instanceof z.ZodObject)) return undefined;
  const { catchall } = schema.def;
  if (catchall !== undefined && !(catchall instanceof z.ZodNever)) return undefined;
  return (faults, place) => decodeFields(schema, input as Fields, faults, place);
}

/** Decodes few items with one call of zod: a call for each costs several times as much if they are faulty. */
function* decodeItems(element: z.ZodType, input: readonly unknown[], faults: Faults, parent: Place | undefined): Steps<unknown[]> {
  const list = z.array(element);
  const items: unknown[] = [];
  for (let first = 0; first < input.length; first += fewParts) {
    const some = input.slice(first, first + fewParts);
    if (holdsMoreValues(some, fewValues)) {
      for (const [at, value] of some.entries()) items.push(yield* decodeAt(element, value, faults, { key: first + at, parent }));
    } else {
      const decoded = decodeAtOnce(list, some, faults, parent, first) as readonly unknown[] | undefined;
      for (const item of decoded ?? []) items.push(item);
    }
    yield;
  }
  return items;
}

function* decodeEntries(schema: z.ZodType, input: Fields, faults: Faults, parent: Place | undefined): Steps<object> {
  const record = z.record(z.string(), schema);
  const decoded: Record<string, unknown> = {};
  // zod leaves `__proto__` out, too: an assignment would not make a field.
  const keys = Object.keys(input).filter((key) => key !== "__proto__");
  for (let first = 0; first < keys.length; first += fewParts) {
    const some = keys.slice(first, first + fewParts);
    const entries = Object.fromEntries(some.map((key) => [key, input[key]]));
    if (holdsMoreValues(entries, fewValues)) {
      for (const key of some) decoded[key] = yield* decodeAt(schema, input[key], faults, { key, parent });
    } else {
      Object.assign(decoded, decodeAtOnce(record, entries, faults, parent));
    }
    yield;
  }
  return decoded;
}

function* decodeFields(schema: z.ZodObject, input: Fields, faults: Faults, parent: Place | undefined): Steps<object> {
  const fields: Record<string, unknown> = {};
  for (const [key, type] of Object.entries(schema.shape)) {
    const field = yield* decodeAt(type as z.ZodType, input[key], faults, { key, parent });
    if (field !== undefined || key in input) fields[key] = field;
  }
  if (schema.def.catchall instanceof z.ZodNever) {
    const keys = Object.keys(input).filter((key) => !Object.hasOwn(schema.shape, key));
    if (keys.length > 0) report(faults, parent, { code: "unrecognized_keys", keys, path: [], message: "Unknown field", input });
  }
  return fields;
}
