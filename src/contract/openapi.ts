import { z } from "zod";
import { isBinary } from "./encode.ts";
import { wireForm } from "./json-schema.ts";
import { ErrorBody, RateLimitBody, ValidationErrorBody } from "./problem-bodies.ts";
import type { Route } from "./route.ts";

type Json = Record<string, unknown>;

const tags: Readonly<Record<string, string>> = {
  cameras: "Cameras and their folders",
  detections: "What the detector saw on pictures",
  images: "The ledger of pictures: what became of each file",
  events: "What happened, judged",
  "alert receiver": "What monitoring systems report to homesec",
  explain: "Why something happened, or did not",
  analytics: "Questions about up to a year of days, in UTC",
  system: "Health, pipeline and metrics",
};

/** Renders routes as an OpenAPI 3.1 document. It is the same for the same routes and version, whoever renders it. */
export function openapi(routes: Readonly<Record<string, Route>>, version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const [operationId, route] of Object.entries(routes)) {
    const operations = paths[route.path] ?? {};
    paths[route.path] = operations;
    operations[route.method] = operationOf(operationId, route, (type, form) => wireSchema(type, form, schemas));
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "homesec",
      version,
      description: "Home security monitoring. Times are UTC. Live messages come over the WebSocket at /ws/events.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The daemon that serves this document" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    // the empty one: a daemon may run without keys
    security: [{ header: [] }, { query: [] }, {}],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      headers: {
        RequestId: { description: "By this id the log tells of the request", schema: { type: "string" } },
        Tag: { description: "Names this content; for If-None-Match", schema: { type: "string" } },
        CacheControl: {
          description: "Whether, and for how long, the content may be shown without asking again",
          schema: { type: "string" },
        },
        RetryAfter: { description: "Seconds to wait before the next try", schema: { type: "integer" } },
        RateLimitLimit: { description: "Requests that one client may make within 60 seconds, burst included", schema: { type: "integer" } },
        RateLimitRemaining: { description: "Requests that are left, which is none", schema: { type: "integer" } },
        RateLimitReset: { description: "When the window is empty again, in seconds since 1970", schema: { type: "integer" } },
      },
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "X-API-Key", description: "Needed when the daemon runs with API_KEY_ENABLED=true" },
        query: {
          type: "apiKey",
          in: "query",
          name: "api_key",
          description: "Where no header can be sent; addresses are logged and cached",
        },
      },
    },
  };
  return JSON.parse(JSON.stringify(document).replaceAll("#/$defs/", "#/components/schemas/"));
}

type Render = (type: z.ZodType, form: "text" | "json") => unknown;

function operationOf(operationId: string, route: Route, render: Render): Json {
  const parameters = (["params", "query"] as const).flatMap((part) =>
    Object.entries(route[part]?.shape ?? {}).map(([name, type]) => parameterOf(part, name, type as z.ZodType, render)),
  );
  return {
    operationId,
    summary: route.summary,
    tags: [route.tag],
    ...(route.auth === "none" && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: { "application/json": { schema: render(route.body, "json") } },
      },
    }),
    responses: responsesOf(route, render),
  };
}

function parameterOf(part: "params" | "query", name: string, type: z.ZodType, render: Render): Json {
  const { description, ...schema } = render(type, "text") as Json;
  return {
    name,
    in: part === "params" ? "path" : "query",
    required: !type.safeParse(undefined).success,
    ...(description !== undefined && { description }),
    ...(name === "offset" && { deprecated: true }),
    schema,
  };
}

/** Every status that a route can answer with. */
function responsesOf(route: Route, render: Render): Json {
  const json = (type: z.ZodType): Json => ({ "application/json": { schema: render(type, "json") } });
  const reply = route.reply && (isBinary(route.reply) ? binaryContent(route.reply.mediaTypes) : json(route.reply));
  const refusals = Object.fromEntries(
    Object.entries(refusalsOf(route)).map(([status, description]) => [status, { description, content: json(ErrorBody) }]),
  );
  const healthBody = route.refusals?.[503] !== undefined && route.reply && !isBinary(route.reply) ? route.reply : undefined;
  const responses: Record<string, Json> = {
    [route.status ?? 200]: { description: route.status === 204 ? "Done" : "As asked", ...(reply && { content: reply }) },
    ...(hasRanges(route) && { 206: { description: "The part named by Range", ...(reply && { content: reply }) } }),
    ...(canBeNotModified(route) && { 304: { description: "As in If-None-Match" } }),
    ...refusals,
    ...(route.tier !== "none" && {
      429: { description: "More requests than the limit allows", content: json(route.tag === "analytics" ? ErrorBody : RateLimitBody) },
    }),
    ...(canBeInvalid(route) && { 422: { description: "Something in the request is not valid", content: json(ValidationErrorBody) } }),
    ...(healthBody && { 503: { description: route.refusals?.[503], content: json(z.union([healthBody, ErrorBody])) } }),
  };
  for (const [status, response] of Object.entries(responses)) {
    const isKept = canBeNotModified(route) && ["200", "304"].includes(status);
    response["headers"] = {
      "X-Request-ID": header("RequestId"),
      ...(isKept && { ETag: header("Tag"), "Cache-Control": header("CacheControl") }),
      ...(status === "429" && rateLimitHeaders),
    };
  }
  return responses;
}

function header(name: string): Json {
  return { $ref: `#/components/headers/${name}` };
}

const rateLimitHeaders: Json = {
  "Retry-After": header("RetryAfter"),
  "X-RateLimit-Limit": header("RateLimitLimit"),
  "X-RateLimit-Remaining": header("RateLimitRemaining"),
  "X-RateLimit-Reset": header("RateLimitReset"),
};

function refusalsOf(route: Route): Readonly<Record<number, string>> {
  return {
    ...(route.body && {
      400: "The body could not be read to its end",
      413: "The body is too large",
      415: "The body is not JSON",
    }),
    ...(route.auth !== "none" && { 401: "The API key is missing or wrong" }),
    403:
      route.method === "get"
        ? "The Host header names another machine"
        : "The Host header names another machine, or a page of another site asks",
    500: "Internal error",
    // what says only that the process is alive needs nothing that could be away
    ...((route.auth !== "none" || route.tier !== "none") && { 503: "The database is away; try again in a moment" }),
    ...route.refusals,
  };
}

function hasRanges({ reply }: Route): boolean {
  return reply !== undefined && isBinary(reply) && reply.ranges === true;
}

function canBeNotModified(route: Route): boolean {
  return route.etag === true || (route.reply !== undefined && isBinary(route.reply) && !route.reply.streamed);
}

/** A path that takes any text cannot be invalid. */
function canBeInvalid(route: Route): boolean {
  return (
    route.query !== undefined ||
    route.body !== undefined ||
    Object.values(route.params?.shape ?? {}).some((type) => !(type instanceof z.ZodString))
  );
}

function binaryContent(mediaTypes: readonly string[]): Json {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, {}]));
}

/**
 * The JSON Schema of what goes over the wire. `text` is for parameters, where a number is written as text anyway and is
 * told as a number. Named schemas go into `schemas`, and a reference stands in their place.
 */
function wireSchema(type: z.ZodType, form: "text" | "json", schemas: Json): unknown {
  // as a property, so that a named schema becomes a reference at the top as well
  const { $defs, properties } = z.toJSONSchema(z.object({ it: type }), {
    io: form === "text" ? "output" : "input",
    ...wireForm,
  });
  for (const [name, schema] of Object.entries($defs ?? {})) {
    const { id: _, ...body } = schema as Json;
    schemas[name] = body;
  }
  return properties?.["it"];
}
