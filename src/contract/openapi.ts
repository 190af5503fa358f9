import { z } from "zod";
import { ingestPaths, ingestSecurity } from "./ingest.ts";
import { exampleWith, wireForm } from "./json-schema.ts";
import { json, refusalExamples, responseHeaders, responsesOf, shareResponses } from "./openapi-responses.ts";
import { ErrorBody } from "./problem-bodies.ts";
import type { Route } from "./route.ts";

type Json = Record<string, unknown>;

const tags: Readonly<Record<string, string>> = {
  cameras: "Cameras, their folders, baselines and scene changes",
  detections: "Objects that the detector found in pictures",
  images: "The ledger: every file with its outcome",
  events: "Events with their risk scores",
  entities: "Recognised people and objects",
  alerts: "Alert rules, alerts and silences",
  modes: "Modes of the home: home, away, night, off and custom ones",
  notifications: "Notifications to people by mail and chat",
  "outbound webhooks": "Webhooks that send events to other programs",
  channels: "Channels to phones",
  recipients: "People whom rules notify, with their hours",
  "alert receiver": "Alerts from monitoring systems",
  explain: "Explanations of what happened and what did not",
  analytics: "Statistics for up to a year, per UTC day",
  receivers: "Servers to which cameras deliver pictures, and the logins of cameras",
  shares: "Events shown to people without an account",
  evidence: "Signed packs of an event to hand on, and what proves that nothing changed",
  keys: "Named keys with roles, and sessions of browsers",
  system: "Health, pipeline, configuration, storage and metrics",
  documents: "Documents that describe this API",
};

/** Renders routes as an OpenAPI 3.1 document. The same routes and version always give the same document. */
export function openapi(routes: Readonly<Record<string, Route>>, version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const [operationId, route] of Object.entries(routes)) {
    const operations = paths[route.path] ?? {};
    paths[route.path] = operations;
    operations[route.method] = operationOf(operationId, route, (type, form) => wireSchema(type, form, schemas));
  }
  Object.assign(paths, ingestPaths(wireSchema(ErrorBody, "json", schemas)));
  const responses = shareResponses(paths);
  const document = {
    openapi: "3.1.0",
    info: {
      title: "homesec",
      version,
      description: "Home security monitoring. Times are UTC. The WebSocket at /ws/events sends live messages.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The daemon that serves this document" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    // The empty entry: a daemon may run without API keys
    security: [{ header: [] }, { query: [] }, {}],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      headers: responseHeaders,
      examples: refusalExamples,
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "X-API-Key", description: "Required when API_KEY_ENABLED=true" },
        query: {
          type: "apiKey",
          in: "query",
          name: "api_key",
          description: "For clients that cannot send headers; proxies may log or cache the URL",
        },
        ...ingestSecurity,
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
        content: json(render(route.body, "json"), { example: exampleWith(route.body, route.example?.body) }),
      },
    }),
    responses: responsesOf(route, (type) => render(type, "json")),
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

/**
 * Returns the JSON Schema of a value on the wire. `text` is for parameters, where a number is written as text and still described as a
 * number. Named schemas go into `schemas`; the result refers to them.
 */
function wireSchema(type: z.ZodType, form: "text" | "json", schemas: Json): unknown {
  // As a property, so that a named schema becomes a reference at the top level too
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
