import { steady } from "./text.ts";

/** The same record with every text in it steady, for parts of the program that make lines of it by themselves. */
export function steadied<T>(value: T): T {
  if (typeof value === "string") return steady(value) as T;
  if (Array.isArray(value)) return value.map(steadied) as T;
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, steadied(part)])) as T;
}
