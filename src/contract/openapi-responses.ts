import { z } from "zod";
import { isBinary, isStreamed } from "./encode.ts";
import { exampleWith } from "./json-schema.ts";
import { ErrorBody, RateLimitBody, ValidationErrorBody } from "./problem-bodies.ts";
import { rateLimitSentence, refusals } from "./refusal-examples.ts";
import type { Route } from "./route.ts";

type Json = Record<string, unknown>;

/** Renders the schema of JSON on the wire. */
type Render = (type: z.ZodType) => unknown;

/** The response headers that `responsesOf` refers to. */
export const responseHeaders: Json = {
  RequestId: header("Id of the request; log lines about it contain it"),
  IgnoredParameters: header("Unknown query parameters that were ignored; absent when there are none"),
  Deprecation: header("`true` when `offset` was used"),
  Tag: header("Identifier of this content, for If-None-Match"),
  LastModified: header("Time of the file, for If-Modified-Since"),
  CacheControl: header("Whether and for how long clients may cache the content"),
  AcceptRanges: header("`bytes`: the client can request parts of it with Range"),
  ContentRange: header("Position of this part and total length"),
  ContentDisposition: header("File name for the download"),
  Authenticate: header("`ApiKey`: in the header X-API-Key, or in the query"),
  RetryAfter: header("Seconds to wait before the next try", "integer"),
  RateLimitLimit: header("Requests that one client may make within 60 seconds, burst included", "integer"),
  RateLimitRemaining: header("Remaining requests, always 0", "integer"),
  RateLimitReset: header("End of the window, in seconds since 1970", "integer"),
};

function header(description: string, type: "string" | "integer" = "string"): Json {
  return { description, schema: { type } };
}

/** The example bodies of refusals that `responsesOf` refers to. */
export const refusalExamples: Json = Object.assign({}, ...Object.values(refusals), rateLimitSentence);

/** Returns every status of a route with its headers, its body and an example. */
export function responsesOf(route: Route, render: Render): Json {
  const { reply } = route;
  const success: Json = {
    description: route.status === 204 ? "Done" : "As requested",
    ...(reply && {
      content: isBinary(reply)
        ? binaryContent(reply.mediaTypes)
        : json(render(reply), { example: exampleWith(reply, route.example?.reply) }),
    }),
  };
  const responses: Record<string, Json> = {
    [route.status ?? 200]: success,
    ...(hasRanges(route) && { 206: { ...success, description: "The part requested with Range" } }),
    ...(canBeNotModified(route) && { 304: { description: "Not modified since the version in If-None-Match" } }),
    ...Object.fromEntries(
      Object.entries(refusalsOf(route)).map(([status, description]) => [status, refusalOf(Number(status), description)]),
    ),
  };
  for (const [status, response] of Object.entries(responses)) response["headers"] = headersOf(route, Number(status));
  return responses;

  function refusalOf(status: number, description: string): Json {
    const isSentence = status === 429 && route.tag === "analytics";
    const named = Object.keys(isSentence ? rateLimitSentence : (refusals[status] ?? {}));
    const examples = Object.fromEntries(named.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
    const type = status === 422 ? ValidationErrorBody : status === 429 && !isSentence ? RateLimitBody : ErrorBody;
    // Health routes reply with the same body when the status is 503
    if (status === 503 && route.refusals?.[503] !== undefined && reply && !isBinary(reply)) {
      const unwell = { summary: "Degraded or unhealthy", value: exampleWith(reply, route.example?.unwell) };
      return { description, content: json(render(z.union([reply, type])), { examples: { Unwell: unwell, ...examples } }) };
    }
    return { description, content: json(render(type), { examples }) };
  }
}

/**
 * Moves each refusal that several operations give into one place, and leaves references to it: half of the document
 * would be repetition. Changes `paths` and returns the shared refusals by name: `Status404`, `Status404-2` for another sentence.
 */
export function shareResponses(paths: Readonly<Record<string, Json>>): Json {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as { readonly responses: Record<string, Json> }[]);
  const givers = new Map<string, Record<string, Json>[]>();
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (status.startsWith("2")) continue;
      const key = `${status} ${JSON.stringify(response)}`;
      givers.set(key, [...(givers.get(key) ?? []), responses]);
    }
  }
  const shared: Json = {};
  for (const [key, givenBy] of givers) {
    if (givenBy.length === 1) continue;
    const status = key.slice(0, 3);
    const earlier = Object.keys(shared).filter((name) => name.startsWith(`Status${status}`)).length;
    const name = `Status${status}${earlier === 0 ? "" : `-${earlier + 1}`}`;
    shared[name] = givenBy[0]?.[status];
    for (const responses of givenBy) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return shared;
}

/** Returns a JSON media type with its schema and one or several examples. */
export function json(schema: unknown, shown: { readonly example: unknown } | { readonly examples: Json }): Json {
  return { "application/json": { schema, ...shown } };
}

function binaryContent(mediaTypes: readonly string[]): Json {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, {}]));
}

function headersOf(route: Route, status: number): Json {
  const ref = (name: string): Json => ({ $ref: `#/components/headers/${name}` });
  const isSuccess = status < 300;
  const isKept = canBeNotModified(route) && (isSuccess || status === 304);
  const isFile = route.reply !== undefined && isBinary(route.reply) && !route.reply.streamed;
  return {
    "X-Request-ID": ref("RequestId"),
    ...(isAfterReading(status) && { "X-Ignored-Parameters": ref("IgnoredParameters") }),
    ...(isSuccess && hasOffset(route) && { Deprecation: ref("Deprecation") }),
    ...(isKept && { ETag: ref("Tag"), "Cache-Control": ref("CacheControl") }),
    ...(isKept && isFile && { "Last-Modified": ref("LastModified") }),
    ...(hasRanges(route) && isSuccess && { "Accept-Ranges": ref("AcceptRanges") }),
    ...((status === 206 || status === 416) && { "Content-Range": ref("ContentRange") }),
    ...(isSuccess && isStreamed(route) && { "Content-Disposition": ref("ContentDisposition") }),
    ...(status === 401 && { "WWW-Authenticate": ref("Authenticate") }),
    ...((status === 429 || status === 503) && { "Retry-After": ref("RetryAfter") }),
    ...(status === 429 && {
      "X-RateLimit-Limit": ref("RateLimitLimit"),
      "X-RateLimit-Remaining": ref("RateLimitRemaining"),
      "X-RateLimit-Reset": ref("RateLimitReset"),
    }),
  };
}

const mediaRefusal =
  "With `MEDIA_REQUIRES_KEY=true`: no key, session or valid signature (`expires` and `signature` of an address from a message)";

/** Returns the statuses from 400 on, each with one sentence. */
function refusalsOf(route: Route): Readonly<Record<number, string>> {
  const foreignHost = "The Host header names another machine";
  const foreign = route.method === "get" ? foreignHost : `${foreignHost}, or another site's page sent the request`;
  return {
    ...(route.body && {
      400: "The body ended early",
      413: "The body is too large",
      415: "The body is not JSON",
    }),
    ...(route.auth !== "none" && { 401: route.auth === "media" ? mediaRefusal : "The API key is missing or wrong" }),
    ...(hasRanges(route) && { 416: "The file does not contain the requested range" }),
    ...(canBeInvalid(route) && { 422: "The request is not valid" }),
    ...(route.tier !== "none" && { 429: "More requests than the limit allows" }),
    500: "Internal error",
    // The liveness route depends on nothing that could be unavailable
    ...((route.auth !== "none" || route.tier !== "none") && {
      503: "The database is not available, or too much is in memory for this client; try again later",
    }),
    ...route.refusals,
    403: route.refusals?.[403] === undefined ? foreign : `${foreign}. ${route.refusals[403]}`,
  };
}

/** Checks whether this status comes after homesec has read the query, so that it knows the ignored parameters. */
function isAfterReading(status: number): boolean {
  return ![401, 413, 415, 429].includes(status);
}

function hasRanges({ reply }: Route): boolean {
  return reply !== undefined && isBinary(reply) && reply.ranges === true;
}

function canBeNotModified(route: Route): boolean {
  return route.etag === true || (route.reply !== undefined && isBinary(route.reply) && !route.reply.streamed);
}

/** Checks whether the reply contains a warning about the deprecated `offset`. */
function hasOffset({ reply }: Route): boolean {
  return reply instanceof z.ZodObject && "deprecation_warning" in reply.shape;
}

/** Checks whether validation can fail. A path that accepts any text cannot be invalid. */
function canBeInvalid(route: Route): boolean {
  return (
    route.query !== undefined ||
    route.body !== undefined ||
    Object.values(route.params?.shape ?? {}).some((type) => !(type instanceof z.ZodString))
  );
}
