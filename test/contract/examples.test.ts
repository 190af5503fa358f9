import { describe, expect, it } from "vitest";
import { z } from "zod";
import { encodeAnswer, isBinary } from "../../src/contract/encode.ts";
import type { Example } from "../../src/contract/examples/example.ts";
import { examples } from "../../src/contract/examples/index.ts";
import { openapi } from "../../src/contract/openapi.ts";
import type { Route } from "../../src/contract/route.ts";
import { DetectionChangeItem, NewDetectionItem } from "../../src/contract/routes/detections.ts";
import { EventId, EventReview, NewEvent } from "../../src/contract/routes/events.ts";
import { routes } from "../../src/contract/routes/index.ts";

/*
 * That the examples fit the JSON schemas of the document is looked at by the public linter (openapi-lint.test.ts). Here: that they
 * are there, that homesec itself takes and would answer them, and that they tell of the same things.
 */

const all = Object.entries<Route>(routes).map(([id, route]) => ({ id, route, example: (examples as Record<string, Example>)[id] ?? {} }));

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
const document = openapi(routes, "0", examples) as {
  paths: Record<string, Record<string, Operation>>;
  components: { examples: Record<string, { readonly value?: unknown }> };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** The JSON bodies of an operation without an example that is there. */
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
  it("stand at each body and each answer of every route", () => {
    expect(operations.length).toBe(all.length);
    expect(operations.flatMap(bare)).toEqual([]);
  });

  it("are there for nothing else", () => {
    expect(Object.keys(examples).filter((id) => !(id in routes))).toEqual([]);
  });

  it.each(all.filter(({ route }) => route.body))("$id takes its body", ({ route, example }) => {
    expect(route.body?.safeParse(example.body).error).toBeUndefined();
  });

  it.each([
    ["createEvents", NewEvent, examples.createEvents.body.events],
    ["updateEvents", EventReview, examples.updateEvents.body.events],
    ["deleteEvents", EventId, examples.deleteEvents.body.event_ids],
    ["createDetections", NewDetectionItem, examples.createDetections.body.detections],
    ["updateDetections", DetectionChangeItem, examples.updateDetections.body.detections],
    ["deleteDetections", z.int(), examples.deleteDetections.body.detection_ids],
  ])("%s takes each of its items", (_id, schema: z.ZodType, items) => {
    for (const item of items) expect(schema.safeParse(item).error).toBeUndefined();
  });

  it.each(all.filter(({ route }) => route.reply && !isBinary(route.reply)))("$id would answer just that", ({ route, example }) => {
    const shown = [example.reply, ...(route.refusals?.[503] === undefined ? [] : [example.unwell])];
    for (const reply of shown) {
      // encoding leaves out what the schema does not name
      const answer = encodeAnswer(route, z.decode(route.reply as z.ZodType, reply));
      expect(answer).toEqual({ kind: "json", status: route.status ?? 200, wire: reply });
    }
  });

  it("tell of the same things everywhere", () => {
    const replies = all.map(({ example }) => example.reply);
    const cameras = [...valuesOf("camera_id", examples.listCameras.reply), ...valuesOf("camera_id", examples.listDeletedCameras.reply)];
    expect(new Set(valuesOf("camera_id", replies))).toEqual(new Set(cameras));
    const events = [...examples.listEvents.reply.items, ...examples.listDeletedEvents.reply.items].map(({ id }) => id);
    const mentioned = valuesOf("event_id", replies).filter((id) => typeof id === "number");
    expect(mentioned.filter((id) => !events.includes(id))).toEqual([]);
    expect(new Set(valuesOf("rule_id", replies))).toEqual(new Set([examples.getRule.reply.id]));
    expect(new Set(valuesOf("alert_id", replies))).toEqual(new Set([examples.getAlert.reply.id]));
    expect(new Set(valuesOf("webhook_id", replies))).toEqual(new Set([examples.getWebhook.reply.id]));
    expect(new Set(valuesOf("entity_id", replies))).toEqual(new Set([examples.getEntity.reply.id]));
    const { risk_score, risk_factors, detections } = examples.getEvent.reply;
    expect(risk_factors.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(risk_score);
    expect(detections.map(({ id }) => id)).toEqual(examples.getEvent.reply.detection_ids);
  });
});
