import { z } from "zod";
import { runAtOnce, type Steps } from "../base/async/slices.ts";
import { decodeInSteps, type Faults } from "./decode-steps.ts";
import { isBinary } from "./encode.ts";
import { fromOutside, problemItems, sentenceOf } from "./issues.ts";
import { notFound, Problem, type ProblemItem } from "./problem.ts";
import { isItemwise, type Request, type Route } from "./route.ts";
import { holdsMoreValues, unstorable, unstorableTexts } from "./text.ts";

/** A request from the wire: percent signs and JSON are decoded, nothing is checked. */
export interface RawRequest {
  /** The values of the path placeholders. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
  /** The parsed JSON; `undefined` without a body. */
  readonly body: unknown;
  /** The `Accept` header. */
  readonly accept?: string | undefined;
}

/**
 * Maximum number of lists and fields in a body, at any depth; a body of 1 MiB cannot exceed it. Each may be an error, and an error takes
 * a hundred times the memory of the value.
 */
export const mostValues = 600_000;

/** Allowed on every route, even if the route does not read them. */
const alwaysKnown = new Set(["api_key", "token", "expires", "signature"]);

/** Returns the query parameters that the route does not know. homesec ignores them and names them in the response. */
export function ignoredParameters(route: Route, query: URLSearchParams): readonly string[] {
  const known = route.query?.shape ?? {};
  return [...new Set(query.keys())].filter((key) => !Object.hasOwn(known, key) && !alwaysKnown.has(key));
}

/** The refusal of a body with more than `most` values. */
export function tooManyValues(most: number): Problem {
  return new Problem("too_large", `The body holds more than ${most} values; send less at a time`);
}

/**
 * Decodes and checks a request by the schemas of its route. Throws `Problem("invalid")` with all errors (the first 100 of each part),
 * `Problem("not_found")` when a text in the path cannot be an id, or `Problem("too_large")` for more than 600,000 values.
 */
export function decodeRequest<R extends Route>(route: R, raw: RawRequest): Request<R> {
  if (route.body && holdsMoreValues(raw.body, mostValues)) throw tooManyValues(mostValues);
  return runAtOnce(decodeRequestInSteps(route, raw));
}

/** The same with pauses between the parts of a long body, whose values are counted. */
export function* decodeRequestInSteps<R extends Route>(route: R, raw: RawRequest): Steps<Request<R>> {
  const request: { params?: unknown; query?: unknown; body?: unknown; preferredType?: string | undefined } = {};
  const items: ProblemItem[] = [];
  function* decode(schema: z.ZodType, input: unknown, at: "path" | "query" | "body"): Steps<unknown> {
    const faults: Faults = { issues: [], unreported: 0 };
    const decoded = yield* decodeInSteps(schema, input, faults);
    items.push(...problemItems(faults.issues, input, [at], faults.unreported));
    return decoded;
  }

  if (route.params) {
    for (const [name, text] of Object.entries(raw.params)) if (typeof text === "string") requireStorableId(name, text);
    request.params = yield* decode(route.params, { ...raw.params }, "path");
    requireExactIds(raw.params, request.params);
  }
  if (route.query) request.query = yield* decode(route.query, knownQuery(route.query, raw.query, items), "query");
  if (route.body) {
    items.push(...(yield* unstorableTexts(raw.body, "body", { itemsAside: isItemwise(route) })));
    request.body = yield* decode(route.body, raw.body, "body");
  }
  if (items.length > 0) throw new Problem("invalid", sentenceOf(items), { items });
  if (route.reply && isBinary(route.reply)) request.preferredType = preferredType(route.reply.mediaTypes, raw.accept);
  return request as Request<R>;
}

/** A request on the wire: `path` is percent-encoded, `query` begins with "?" or is empty, `body` is JSON text. */
export interface EncodedRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The argument of `encodeRequest`: a decoded request of any route. */
export interface AnyRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * Encodes a request by the schemas of its route, as the inverse of `decodeRequest`. Throws the same problems locally for values that the
 * schemas refuse.
 */
export function encodeRequest(route: Route, request: AnyRequest): EncodedRequest {
  const items: ProblemItem[] = [];
  const encode = (schema: z.ZodType, value: unknown, loc: readonly (string | number)[]): unknown => {
    const encoded = z.safeEncode(schema, value as z.output<z.ZodType>, fromOutside);
    if (encoded.success) return encoded.data;
    items.push(...problemItems(encoded.error.issues, value, loc));
    return undefined;
  };

  const params: Record<string, string> = {};
  for (const [name, schema] of Object.entries(route.params?.shape ?? {})) {
    params[name] = String(encode(schema as z.ZodType, request.params?.[name], ["path", name]));
  }
  const query = new URLSearchParams();
  for (const [name, schema] of Object.entries(route.query?.shape ?? {})) {
    const value = request.query?.[name];
    if (value === undefined) continue;
    const encoded = encode(schema as z.ZodType, value, ["query", name]);
    for (const text of Array.isArray(encoded) ? encoded : [encoded]) query.append(name, String(text));
  }
  const body = route.body && encode(route.body, withDefaults(route.body, request.body), ["body"]);
  if (items.length > 0) throw new Problem("invalid", sentenceOf(items), { items });

  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(requireStorableId(name, params[name] ?? "")));
  return { path, query, params, body: body === undefined ? undefined : JSON.stringify(body) };
}

/** Fills the defaults in a body, because zod fills them only while decoding. */
function withDefaults(schema: z.ZodType, body: unknown): unknown {
  const object = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  if (!(object instanceof z.ZodObject) || typeof body !== "object" || body === null) return body;
  const given = body as Readonly<Record<string, unknown>>;
  const missing = Object.entries(object.shape).flatMap(([name, field]) =>
    field instanceof z.ZodDefault && given[name] === undefined ? [[name, field.def.defaultValue] as const] : [],
  );
  return { ...given, ...Object.fromEntries(missing) };
}

/**
 * Throws `Problem("not_found")` for a text that no path can carry or that cannot be an id. An empty text, "." and ".." would even be
 * another path.
 */
function requireStorableId(name: string, text: string): string {
  if (text === "" || text === "." || text === ".." || unstorable(text)) throw notFound(name, JSON.stringify(text));
  return text;
}

/** Throws `Problem("not_found")` for a whole number that was decoded to another one, because it is beyond the exact ones. */
function requireExactIds(texts: RawRequest["params"], decoded: unknown): void {
  for (const [name, value] of Object.entries(decoded ?? {})) {
    const text = String(texts[name]);
    if (typeof value !== "number" || !name.endsWith("_id") || Number.isSafeInteger(Number(text))) continue;
    const thing = name.slice(0, -"_id".length);
    throw notFound(`${thing.charAt(0).toUpperCase()}${thing.slice(1)}`, text, "no id is that long");
  }
}

/**
 * Returns the parameters of the query that the route knows. The last value of a repeated parameter counts, unless the route accepts
 * several.
 */
function knownQuery(schema: z.ZodObject, query: URLSearchParams, items: ProblemItem[]): Readonly<Record<string, unknown>> {
  const known: Record<string, unknown> = {};
  for (const [key, text] of query) {
    const part = Object.hasOwn(schema.shape, key) ? (schema.shape[key] as z.ZodType) : undefined;
    if (!part) continue;
    const msg = unstorable(text);
    if (msg) items.push({ loc: ["query", key], msg, type: "value_error" });
    const before = known[key];
    known[key] = takesMany(part) ? [...(Array.isArray(before) ? before : []), text] : text;
  }
  return known;
}

function takesMany(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodArray) return true;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return takesMany(schema.unwrap() as z.ZodType);
  return false;
}

/**
 * Returns the media type that an `Accept` header prefers, or undefined when it names none of those offered. Wildcards and types that are
 * not offered do not count as a preference; parameters other than `q` are ignored.
 */
function preferredType(offered: readonly string[], accept: string | undefined): string | undefined {
  const wishes = (accept ?? "").split(",").map((wish) => {
    const [type = "", ...parameters] = wish.split(";").map((part) => part.trim().toLowerCase());
    const q = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    return { type, q };
  });
  const [best] = wishes
    .flatMap(({ type, q }) => offered.filter((mediaType) => bare(mediaType) === type && q > 0).map((mediaType) => ({ mediaType, q })))
    .toSorted((a, b) => b.q - a.q);
  return best?.mediaType;
}

function bare(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}
