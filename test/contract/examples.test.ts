import { describe, expect, it } from "vitest";
import { z } from "zod";
import { encodeAnswer, isBinary } from "../../src/contract/encode.ts";
import { exampleWith } from "../../src/contract/json-schema.ts";
import { openapi } from "../../src/contract/openapi.ts";
import type { Route } from "../../src/contract/route.ts";
import { DetectionChangeItem, NewDetectionItem } from "../../src/contract/routes/detections.ts";
import { EventId, EventReview, NewEvent } from "../../src/contract/routes/events.ts";
import { routes } from "../../src/contract/routes/index.ts";

/*
 * The public linter (openapi-lint.test.ts) checks the examples against the JSON schemas of the document. These tests check that each body
 * has one, that homesec accepts and would answer it, and that the examples agree with each other.
 */

/** The examples of a route, derived from its schemas. */
function examplesOf(route: Route): { readonly body?: unknown; readonly reply?: unknown; readonly unwell?: unknown } {
  const reply = route.reply && !isBinary(route.reply) ? route.reply : undefined;
  return {
    ...(route.body && { body: exampleWith(route.body, route.example?.body) }),
    ...(reply && { reply: exampleWith(reply, route.example?.reply) }),
    ...(reply && route.refusals?.[503] !== undefined && { unwell: exampleWith(reply, route.example?.unwell) }),
  };
}

const all = Object.entries<Route>(routes).map(([id, route]) => ({ id, route, example: examplesOf(route) }));
const byId = Object.fromEntries(all.map(({ id, example }) => [id, example]));

/** The part of a JSON value at a path such as `getEvent.reply.detections`. */
function at(path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], byId);
}

interface Media {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>;
}
interface Content {
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
const document = openapi(routes, "0") as {
  paths: Record<string, Record<string, Operation>>;
  components: { examples: Record<string, { readonly value?: unknown }> };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** The JSON bodies of an operation that lack an example. */
function bare({ operationId, requestBody, responses }: Operation): string[] {
  const bodies = [["body", requestBody ?? {}] as const, ...Object.entries(responses)];
  return bodies.flatMap(([name, { content = {} }]) => {
    const media = content["application/json"];
    if (!media) return [];
    const shared = Object.values(media.examples ?? {}).map(
      ({ $ref, value }) => value ?? document.components.examples[$ref?.split("/").at(-1) ?? ""]?.value,
    );
    const shown = media.example === undefined ? shared : [media.example];
    return shown.length > 0 && shown.every((one) => one !== undefined) ? [] : [`${operationId} ${name}`];
  });
}

/** The values of a key, at any depth. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => valuesOf(key, entry));
  return Object.entries(value).flatMap(([name, inner]) => [...(name === key && inner !== null ? [inner] : []), ...valuesOf(key, inner)]);
}

describe("examples", () => {
  it("examples: every body and every answer of a route has one", () => {
    // with the two uploads of cameras, which are no routes
    expect(operations.length).toBe(all.length + 2);
    expect(operations.flatMap(bare)).toEqual([]);
  });

  it.each(all.filter(({ route }) => route.body))("examples: the body of $id accepts its example", ({ route, example }) => {
    expect(Object.keys(example.body as object)).not.toEqual([]);
    expect(route.body?.safeParse(example.body).error).toBeUndefined();
  });

  it.each([
    ["createEvents.body.events", NewEvent],
    ["updateEvents.body.events", EventReview],
    ["deleteEvents.body.event_ids", EventId],
    ["createDetections.body.detections", NewDetectionItem],
    ["updateDetections.body.detections", DetectionChangeItem],
    ["deleteDetections.body.detection_ids", z.int()],
  ])("examples: each item of %s is valid", (path, schema: z.ZodType) => {
    const items = at(path) as readonly unknown[];
    expect(items.length).toBeGreaterThan(1);
    for (const item of items) expect(schema.safeParse(item).error).toBeUndefined();
  });

  it.each(all.filter(({ route }) => route.reply && !isBinary(route.reply)))(
    "examples: encoding the reply of $id gives its example",
    ({ route, example }) => {
      for (const reply of [example.reply, ...("unwell" in example ? [example.unwell] : [])]) {
        // Encoding drops fields that the schema does not name
        const answer = encodeAnswer(route, z.decode(route.reply as z.ZodType, reply));
        expect(answer).toEqual({ kind: "json", status: route.status ?? 200, wire: reply });
      }
    },
  );

  it("examples: use the same ids everywhere", () => {
    const replies = all.map(({ example }) => example.reply);
    const only = (key: string): unknown[] => [...new Set(valuesOf(key, replies))];
    expect(only("camera_id")).toEqual([...new Set(valuesOf("camera_id", at("listCameras.reply")))]);
    expect(only("event_id").filter((id) => typeof id === "number")).toEqual([at("getEvent.reply.id")]);
    expect(only("rule_id")).toEqual([at("getRule.reply.id")]);
    expect(only("alert_id")).toEqual([at("getAlert.reply.id")]);
    expect(only("webhook_id")).toEqual([at("getWebhook.reply.id")]);
    expect(only("entity_id")).toEqual([at("getEntity.reply.id")]);
    const contributions = valuesOf("contribution", at("getEvent.reply.risk_factors")) as readonly number[];
    expect(contributions.reduce((sum, points) => sum + points, 0)).toBe(at("getEvent.reply.risk_score"));
    expect(valuesOf("id", at("getEvent.reply.detections"))).toEqual(at("getEvent.reply.detection_ids"));
  });
});
