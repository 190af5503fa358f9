import { z } from "zod";
import { outboundEventTypes } from "../../contract/constants.ts";
import { type OutboundEventType, outboundEvents } from "../../contract/outbound-events.ts";
import { namesRead, type ReadName } from "../templates/names.ts";
import type { Template } from "../templates/template.ts";
import type { TemplatePayload } from "./request.ts";
import { samplesOf } from "./samples.ts";

/** The names of a message and, for those with names inside, these; null for a value without. */
type Names = ReadonlyMap<string, Names | null>;

const payloadNames = [
  "event_type",
  "timestamp",
  "webhook_id",
  "delivery_id",
  "title",
  "text",
  "data",
] as const satisfies readonly (keyof TemplatePayload)[];

/** Its names are classes, of which each message has others. */
const openNames: ReadonlySet<string> = new Set(["object_counts"]);

/**
 * Finds a name in a template that messages of these types never have. A name that the template tests, or has a default for, only has to
 * exist in some type: it may be a template for several webhooks. Returns the line and a sentence with the names that exist; undefined
 * when all are known.
 */
export function unknownName(template: Template, types: readonly OutboundEventType[]): { line: number; message: string } | undefined {
  const read = namesRead(template);
  const guarded = new Set(read.filter((name) => name.guarded).map(textOf));
  const [own, all] = [namesOf(types), namesOf(outboundEventTypes)];
  for (const name of read) {
    const found = missingIn(guarded.has(textOf(name)) ? all : own, name.path);
    if (!found) continue;
    const where = guarded.has(textOf(name)) ? "any message" : `a message of type ${types.join(" or ")}`;
    const inside = found.at === 0 ? "" : ` in ${name.path.slice(0, found.at).join(".")}`;
    const message = `${name.path.slice(0, found.at + 1).join(".")} is never part of ${where}; the names${inside} are ${found.names.join(", ")}`;
    return { line: name.line, message };
  }
  return undefined;
}

const textOf = ({ path }: ReadName): string => path.join(".");

/** Returns the place of the first part of a path that does not exist, and the names that do. */
function missingIn(names: Names, path: readonly string[]): { readonly at: number; readonly names: readonly string[] } | undefined {
  let inside: Names | null = names;
  for (const [at, part] of path.entries()) {
    if (inside === null) return undefined;
    const next: Names | null | undefined = inside.get(part);
    if (next === undefined) return { at, names: [...inside.keys()] };
    inside = next;
  }
  return undefined;
}

/** Returns all names in messages of these types. The samples have every field. */
function namesOf(types: readonly OutboundEventType[]): Names {
  const samples = types.flatMap(samplesOf).map(({ type, data }) => z.encode(outboundEvents[type] as z.ZodType, data) as object);
  const inData = merged(samples);
  return new Map<string, Names | null>([...payloadNames.map((name) => [name, null] as const), ...inData, ["data", inData]]);
}

function merged(objects: readonly object[]): Map<string, Names | null> {
  const values = new Map<string, object[]>();
  for (const [key, value] of objects.flatMap((each) => Object.entries(each))) {
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value) && !openNames.has(key);
    values.set(key, [...(values.get(key) ?? []), ...(isRecord ? [value as object] : [])]);
  }
  return new Map([...values].map(([key, inner]) => [key, inner.length === 0 ? null : merged(inner)]));
}
