import { z } from "zod";
import { cleanText } from "./answer.ts";

/** An attribute that a service reports for an object: a word, a number, yes or no, or a short list of words and numbers. */
export type AttributeValue = string | number | boolean | readonly (string | number)[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

const mostAttributes = 50;
const longestName = 64;
const longestText = 200;
const mostInList = 20;

const Given = z.record(z.string(), z.unknown());

/** Returns attributes that can be stored. Drops values of other types, values without a name and those beyond the limit; cleans and cuts texts. */
export function readAttributes(given: unknown): Attributes {
  const attributes = new Map<string, AttributeValue>();
  for (const [rawName, raw] of Object.entries(Given.safeParse(given).data ?? {})) {
    if (attributes.size === mostAttributes) break;
    const name = cleanText(rawName, longestName);
    const value = readValue(raw);
    if (name === "" || name === "__proto__" || value === undefined) continue;
    attributes.set(name, value);
  }
  return Object.fromEntries(attributes);
}

function readValue(raw: unknown): AttributeValue | undefined {
  if (!Array.isArray(raw)) return readScalar(raw);
  const items = raw.slice(0, mostInList).flatMap((item) => {
    const value = readScalar(item);
    return value === undefined || typeof value === "boolean" ? [] : [value];
  });
  return items.length === 0 ? undefined : items;
}

function readScalar(raw: unknown): string | number | boolean | undefined {
  if (typeof raw === "boolean") return raw;
  if (typeof raw === "number") return Number.isFinite(raw) ? raw : undefined;
  if (typeof raw !== "string") return undefined;
  const text = cleanText(raw, longestText);
  return text === "" ? undefined : text;
}
