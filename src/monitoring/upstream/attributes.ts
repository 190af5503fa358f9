import { z } from "zod";
import { cleanText } from "./answer.ts";

/** What a service says of an object: words, numbers, yes or no, or short lists of words and numbers. */
export type AttributeValue = string | number | boolean | readonly (string | number)[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

const mostAttributes = 50;
const longestName = 64;
const longestText = 200;
const mostInList = 20;

const Given = z.record(z.string(), z.unknown());

/** Attributes as they may be stored: what is nothing of the kind, has no name or is too much is left out, texts are cleaned and cut. */
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
