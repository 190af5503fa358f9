import { Fault } from "./error.ts";
import type { Run } from "./run.ts";
import { Dict, List, type Value } from "./value.ts";

/** Maximum depth of lists and objects in the data. */
const maxLevels = 60;

/**
 * Copies plain data into the closed world of templates. Whole numbers become integers, others floats (so 1.0 is 1); dates become ISO
 * text. Functions, symbols, getters and objects that are not plain are skipped; for those the result is `undefined`. Throws `Fault` for
 * data that is nested too deeply or too large.
 */
export function copyData(run: Run, data: unknown, level = 0): Value | undefined {
  run.spend(1);
  if (data === null || typeof data === "boolean" || typeof data === "bigint") return data;
  if (typeof data === "string") return run.made(data);
  if (typeof data === "number") return Number.isSafeInteger(data) ? BigInt(data) : data;
  if (typeof data !== "object") return undefined;
  if (level > maxLevels) throw new Fault("values", `the values have more than ${maxLevels} levels; give flatter ones`);
  if (Array.isArray(data)) return new List(Array.from(data, (_, index) => copyData(run, own(data, String(index)), level + 1) ?? null));
  if (data instanceof Date) return Number.isNaN(data.getTime()) ? null : data.toISOString();
  const prototype: unknown = Object.getPrototypeOf(data);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const entries = new Map<string, readonly [Value, Value]>();
  for (const key of Object.keys(data)) {
    const value = copyData(run, own(data, key), level + 1);
    if (value !== undefined) entries.set(`s${key}`, [key, value]);
  }
  return new Dict(entries);
}

/** Reads an own data property of an object; a getter is not run. */
export function own(data: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(data, key)?.value;
}
