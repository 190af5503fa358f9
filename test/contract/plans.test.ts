import { expect, it } from "vitest";
import { z } from "zod";
import { exampleWith } from "../../src/contract/json-schema.ts";
import { decodeByPlan, encodeByPlan } from "../../src/contract/plan.ts";
import type { Route } from "../../src/contract/route.ts";
import { type OperationId, routes } from "../../src/contract/routes/index.ts";
import { makePlan } from "../../src/contract/routes/plans.ts";
import { type AnyRequest, encodeRequest } from "../../src/contract/validate.ts";

const planned = Object.entries(routes).flatMap(([id, route]: [string, Route]) => {
  const plan = makePlan(route);
  return plan === undefined ? [] : [{ id, route, plan, reply: route.reply as z.ZodType }];
});

/** The same reply with one part changed, for each of its parts. */
function* spoiled(value: unknown): Generator<unknown> {
  for (const other of [null, 7.5, "no", [], {}]) yield other;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const other of spoiled(part))
      yield Array.isArray(value) ? value.map((each, at) => (String(at) === key ? other : each)) : { ...value, [key]: other };
    if (!Array.isArray(value)) yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  }
}

it("plans: most routes that read JSON have one, lists of events and cameras among them", () => {
  expect(planned.length).toBeGreaterThan(75);
  expect(planned.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["listEvents", "listCameras", "getPipeline", "getHealth", "explainEvent"]),
  );
});

it.each(planned.map((each) => [each.id, each] as const))(
  "plans: %s decodes what its schema decodes and refuses what it refuses",
  (_, { route, plan, reply }) => {
    const example = exampleWith(reply, route.example?.reply);
    const extra = { ...(example as object), unknown_field: 1 };
    for (const wire of [example, extra, ...spoiled(example)]) {
      const decoded = z.safeDecode(reply, wire as never);
      const byPlan = decodeByPlan(plan.reply, wire);
      if (decoded.success && byPlan === undefined) continue;
      expect(byPlan?.reply, JSON.stringify(wire)).toEqual(decoded.data);
    }
    expect(decodeByPlan(plan.reply, example)?.reply).toEqual(z.decode(reply, example as never));
  },
);

it("plans: encode a request like its schemas, and leave what does not fit to them", () => {
  const since = new Date("2026-11-27T21:00:00Z");
  const cases: readonly (readonly [OperationId, AnyRequest, "same" | "left"])[] = [
    [
      "listEvents",
      { query: { camera_id: ["a b", "\u00fc&?"], start_date: since, reviewed: false, min_risk_score: 60, limit: 50 } },
      "same",
    ],
    ["listEvents", { query: { object_type: ["Person"], risk_level: ["high"], cursor: "x+/=", unknown: 1 } }, "same"],
    ["listEvents", { query: { min_risk_score: 101 } }, "left"],
    ["listEvents", { query: { limit: 1.5 } }, "left"],
    ["listEvents", { query: { start_date: new Date(Number.NaN) } }, "left"],
    ["listEvents", { query: { risk_level: ["none"] } }, "left"],
    ["listDetections", { query: { min_confidence: 0.25 } }, "same"],
    ["searchEvents", { query: { q: "ladder" } }, "left"],
    ["getEvent", { params: { event_id: 7 } }, "same"],
    ["getEvent", { params: { event_id: 1.5 } }, "left"],
    ["getCamera", { params: { camera_id: "front door/1" } }, "same"],
    ["getCamera", { params: { camera_id: ".." } }, "left"],
    ["getCamera", { params: { camera_id: "a\ud800" } }, "left"],
  ];
  for (const [id, request, outcome] of cases) {
    const plan = makePlan(routes[id]);
    const encoded = plan && encodeByPlan(plan, request);
    if (outcome === "left") expect(encoded, JSON.stringify(request)).toBeUndefined();
    else {
      const { path, query } = encodeRequest(routes[id], request);
      expect([encoded?.path, String(encoded?.query)]).toEqual([path, String(query)]);
    }
  }
});
