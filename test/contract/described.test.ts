import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../src/base/version.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes/index.ts";
import { openapiInFull } from "../support/openapi.ts";

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
interface Content {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
const document = openapiInFull() as {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, { description: string }> };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const operation = Object.fromEntries(operations.map((one) => [one.operationId, one]));

function isDescribed({ description, $ref }: Schema): boolean {
  return Boolean(description ?? ($ref && document.components.schemas[$ref.split("/").at(-1) ?? ""]?.description));
}

/** The properties without a description, at every depth. A referenced schema is checked where it is defined. */
function undescribed(schema: Schema, at: string): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const inner = [items, typeof additionalProperties === "object" ? additionalProperties : undefined, ...anyOf, ...oneOf, ...allOf];
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${at}.${name}`]),
      ...undescribed(property, `${at}.${name}`),
    ]),
    ...inner.flatMap((one) => (one ? undescribed(one, at) : [])),
  ];
}

const schemasOf = ({ content = {} }: Content) => Object.values(content).flatMap(({ schema }) => (schema ? [schema] : []));

describe("openapi descriptions", () => {
  it("openapi: describes every record and every field at every depth", () => {
    const found = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
      ...(schema.description ? [] : [name]),
      ...undescribed(schema, name),
    ]);
    expect(found).toEqual([]);
  });

  it("openapi: describes every parameter, and every field of bodies and answers", () => {
    const found = operations.flatMap(({ operationId, parameters = [], requestBody = {}, responses }) => [
      ...parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ?${name}`),
      ...schemasOf(requestBody).flatMap((schema) => undescribed(schema, `${operationId} body`)),
      ...Object.entries(responses).flatMap(([status, response]) =>
        schemasOf(response).flatMap((schema) => undescribed(schema, `${operationId} ${status}`)),
      ),
    ]);
    expect(found).toEqual([]);
  });

  it("openapi: describes every operation, status, header and tag", () => {
    const tags = new Set(document.tags.filter(({ description }) => description).map(({ name }) => name));
    for (const { operationId, summary, tags: own, responses } of operations) {
      expect(summary, operationId).toBeTruthy();
      expect(
        own.filter((tag) => !tags.has(tag)),
        operationId,
      ).toEqual([]);
      for (const [status, { description, headers = {} }] of Object.entries(responses)) {
        expect(description, `${operationId} ${status}`).toBeTruthy();
        expect(Object.keys(headers), `${operationId} ${status}`).toContain("X-Request-ID");
        for (const { $ref } of Object.values(headers)) {
          expect(document.components.headers[$ref.split("/").at(-1) ?? ""]?.description, $ref).toBeTruthy();
        }
      }
    }
    const used = new Set(operations.flatMap(({ tags: own }) => own));
    expect([...tags].filter((tag) => !used.has(tag))).toEqual([]);
  });

  it("openapi: lists every status that follows from an operation's input", () => {
    const missing = Object.entries<Route>(routes).flatMap(([id, { path, params, query, body, tier, auth, tag, reply }]) => {
      const takesNumber = Object.values(params?.shape ?? {}).some((type) => type instanceof z.ZodCodec);
      const isMedia = reply !== undefined && "mediaTypes" in reply;
      const expected = [
        ...[403, 500],
        ...(auth === "none" ? [] : [401, 503]),
        ...(tier === "none" ? [] : [429]),
        ...(body ? [400, 413, 415, 422] : []),
        ...(query || takesNumber ? [422] : []),
        ...(path.includes("{") ? [404] : []),
        ...(tag === "analytics" ? [304, 400] : []),
        ...(isMedia && !reply.streamed ? [304] : []),
        ...(isMedia && reply.ranges ? [206, 416] : []),
      ];
      return expected.filter((status) => !operation[id]?.responses[status]).map((status) => `${id} ${status}`);
    });
    expect(missing).toEqual([]);
  });

  it.each([
    ["createCamera", "201 409"],
    ["updateCamera", "200 404 409"],
    ["deleteCamera", "204 404 409"],
    ["restoreCamera", "200 404 409"],
    ["deleteEvent", "204 404 409"],
    ["restoreEvent", "200 404 409"],
    ["reanalyzeEvent", "202 404 409 503"],
    ["createEvents", "207"],
    ["updateEvents", "207"],
    ["deleteEvents", "207"],
    ["createDetections", "207"],
    ["updateDetections", "207"],
    ["deleteDetections", "207"],
    ["acknowledgeAlert", "200 404 409"],
    ["dismissAlert", "200 404 409"],
    ["createRule", "201"],
    ["deleteRule", "204 404"],
    ["createWebhook", "201"],
    ["deleteWebhook", "204 404"],
    ["retryWebhookDelivery", "200 404 409"],
    ["resetBaseline", "200 404"],
    ["resetBreaker", "200 404"],
    ["updateConfig", "200 403"],
    ["runSelftest", "200 409"],
    ["getHealth", "200 503"],
    ["getReady", "200 503"],
    ["getFullHealth", "200 503"],
  ])("openapi: %s lists the statuses %s of the interface", (id, statuses) => {
    expect(Object.keys(operation[id]?.responses ?? {})).toEqual(expect.arrayContaining(statuses.split(" ")));
  });

  it("openapi: lists the headers of rate limits, pages, files and errors on the right operations", () => {
    const headers = (id: string, status: number) => Object.keys(operation[id]?.responses[status]?.headers ?? {});
    expect(headers("listEvents", 429)).toEqual(
      expect.arrayContaining(["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]),
    );
    expect(headers("listEvents", 200)).toEqual(["X-Request-ID", "X-Ignored-Parameters", "Deprecation"]);
    expect(headers("getEvent", 404)).toContain("X-Ignored-Parameters");
    expect(headers("listWebhookDeliveries", 200)).not.toContain("Deprecation");
    expect(headers("listEvents", 401)).toContain("WWW-Authenticate");
    expect(headers("listEvents", 503)).toContain("Retry-After");
    expect(headers("getRiskHistory", 200)).toEqual(expect.arrayContaining(["ETag", "Cache-Control"]));
    expect(headers("getDetectionImage", 304)).toEqual(expect.arrayContaining(["ETag", "Last-Modified"]));
    expect(headers("getDetectionVideo", 206)).toEqual(expect.arrayContaining(["Accept-Ranges", "Content-Range", "ETag"]));
    expect(headers("getDetectionVideo", 416)).toContain("Content-Range");
    expect(headers("exportEvents", 200)).toContain("Content-Disposition");
  });
});

/** A file and every file that is loaded with it. Type imports do not count. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, target = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type)[^;]*?from "(\.[^"]+)"/gms)) {
    loadedWith(join(dirname(file), target), seen);
  }
  return seen;
}

it("start-up: the code that renders the document is loaded on its first request only", () => {
  const root = packageRoot();
  const renderers = ["openapi.ts", "openapi-responses.ts", "example.ts", "refusal-examples.ts"].map((name) => join("src/contract", name));
  for (const start of ["bin/homesec.ts", "daemon/serve.ts", "commands/open-io.ts", "src/all-operations.ts"]) {
    const loaded = [...loadedWith(join(root, start))].map((file) => relative(root, file));
    expect(loaded.length, start).toBeGreaterThan(1);
    expect(
      loaded.filter((file) => renderers.includes(file)),
      start,
    ).toEqual([]);
  }
});
