/**
 * How a part of a reply looks on the wire and becomes a value: text, a number, a whole number, true or false, a timestamp, anything; one of some
 * words, text of a pattern, an optional value, one that may be null, a list, a record, an object with these fields only or with others.
 */
export type Plan =
  | "text"
  | "number"
  | "whole"
  | "boolean"
  | "time"
  | "any"
  | readonly ["words", ...(readonly (string | number | boolean | null)[])]
  | readonly ["pattern", string]
  | readonly ["optional" | "nullable" | "list" | "record", Plan]
  | readonly ["object" | "open", Readonly<Record<string, Plan>>];

/** How a value of the path or the query becomes text. A missing plan leaves the whole request to the schema. */
export type TextPlan =
  | "text"
  | "boolean"
  | "time"
  | readonly ["words", ...(readonly string[])]
  | readonly ["whole" | "number", number, number]
  | readonly ["list", TextPlan];

/** A route that reads JSON as a client needs it, without zod and the schemas: they take a third of the time of a command. */
export interface RoutePlan {
  readonly path: string;
  readonly slow: boolean;
  readonly params: Readonly<Record<string, TextPlan | null>>;
  readonly query: Readonly<Record<string, TextPlan | null>>;
  readonly reply: Plan;
}

/** Thrown when a value does not fit its plan; never leaves this file. The schema then says why. */
const misfit = Symbol("misfit");

interface PlannedRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
}

/** Encodes a request as its schemas do. Returns undefined when it does not fit. */
export function encodeByPlan(plan: RoutePlan, { params = {}, query = {} }: PlannedRequest) {
  try {
    const search = new URLSearchParams();
    for (const [name, part] of Object.entries(plan.query)) {
      const value = query[name];
      if (value === undefined) continue;
      const texts = textOf(part, value);
      for (const text of typeof texts === "string" ? [texts] : texts) search.append(name, text);
    }
    const path = plan.path.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(textOf(plan.params[name] ?? null, params[name])));
    return { path, query: search };
  } catch (error) {
    if (error !== misfit) throw error;
    return undefined;
  }
}

function pathPart(text: string | readonly string[]): string {
  // The schemas name what is wrong with other texts
  if (typeof text !== "string" || !/^[\x20-\x7e\u00a0-\ud7ff]+$/.test(text) || text === "." || text === "..") throw misfit;
  return encodeURIComponent(text);
}

function textOf(plan: TextPlan | null, value: unknown): string | readonly string[] {
  if (plan === "text" && typeof value === "string") return value;
  if (plan === "boolean" && typeof value === "boolean") return String(value);
  if (plan === "time" && value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (typeof plan !== "object" || plan === null) throw misfit;
  const [kind, ...rest] = plan;
  if (kind === "words" && (rest as readonly unknown[]).includes(value)) return String(value);
  if (kind === "list" && Array.isArray(value)) return value.flatMap((each) => textOf(rest[0] as TextPlan, each));
  if ((kind === "whole" || kind === "number") && typeof value === "number") {
    const [least, most] = rest as [number, number];
    if (value >= least && value <= most && (kind === "number" || Number.isSafeInteger(value))) return String(value);
  }
  throw misfit;
}

/** Decodes a reply as its schema does. Returns undefined when it does not fit. */
export function decodeByPlan(plan: Plan, wire: unknown): { readonly reply: unknown } | undefined {
  try {
    return { reply: decodedPart(plan, wire) };
  } catch (error) {
    if (error !== misfit) throw error;
    return undefined;
  }
}

function decodedPart(plan: Plan, wire: unknown): unknown {
  if (typeof plan === "string") return plainValue(plan, wire);
  const [kind, part] = plan;
  if (kind === "words") {
    if (plan.indexOf(wire as string, 1) > 0) return wire;
  } else if (kind === "pattern") {
    if (typeof wire === "string" && new RegExp(part).test(wire)) return wire;
  } else if (kind === "optional") return wire === undefined ? undefined : decodedPart(part, wire);
  else if (kind === "nullable") return wire === null ? null : decodedPart(part, wire);
  else if (kind === "list") {
    if (Array.isArray(wire)) return wire.map((each) => decodedPart(part, each));
  } else if (typeof wire === "object" && wire !== null && !Array.isArray(wire)) {
    if (kind === "record") return recordOf(part, wire);
    return objectOf(part as Readonly<Record<string, Plan>>, wire as Fields, kind === "open");
  }
  throw misfit;
}

type Fields = Readonly<Record<string, unknown>>;

function recordOf(plan: Plan, wire: object): object {
  const entries = Object.entries(wire).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(entries.map(([key, value]) => [key, decodedPart(plan, value)]));
}

function objectOf(fields: Readonly<Record<string, Plan>>, wire: Fields, keepsOthers: boolean): object {
  const value: Record<string, unknown> = {};
  for (const key in fields) {
    // Anything may be there, but not nothing
    if (fields[key] === "any" && !(key in wire)) throw misfit;
    const field = decodedPart(fields[key] as Plan, wire[key]);
    if (field !== undefined || key in wire) value[key] = field;
  }
  if (keepsOthers) for (const key of Object.keys(wire)) if (!Object.hasOwn(fields, key) && key !== "__proto__") value[key] = wire[key];
  return value;
}

function plainValue(plan: Plan & string, wire: unknown): unknown {
  if (plan === "any") return wire;
  if (plan === "text" && typeof wire === "string") return wire;
  if (plan === "number" && Number.isFinite(wire)) return wire;
  if (plan === "whole" && Number.isSafeInteger(wire)) return wire;
  if (plan === "boolean" && typeof wire === "boolean") return wire;
  if (plan === "time" && typeof wire === "string") {
    // homesec writes timestamps like this; the schema reads others
    const time = new Date(wire);
    if (!Number.isNaN(time.getTime()) && time.toISOString() === wire) return time;
  }
  throw misfit;
}
