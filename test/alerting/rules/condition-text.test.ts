import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialMode } from "../../../src/alerting/modes/mode.ts";
import { conditionTexts } from "../../../src/alerting/rules/condition-text.ts";
import { evaluate } from "../../../src/alerting/rules/conditions.ts";
import { weekdays } from "../../../src/base/clock/calendar.ts";
import { objectTypes } from "../../../src/contract/constants.ts";
import { definitionWith } from "./rule-values.ts";

describe("conditions for people", () => {
  it.each([
    ["risk_score >= 70", ["the risk score is 70 or more"]],
    ["object_type in [person]", ["person was seen"]],
    ["object_type in [person, car, dog]", ["person, car or dog was seen"]],
    ["confidence >= 0.55", ["the confidence is 55 % or more"]],
    ["within schedule 22:00-06:00 Europe/Berlin", ["it was within 22:00-06:00 Europe/Berlin"]],
    ["camera_id in [gate, yard]", []],
    ["kind = camera_health", []],
    ["something of a later version", ["something of a later version"]],
  ])("%s", (condition, texts) => {
    expect(conditionTexts([condition])).toEqual(texts);
  });

  it("every condition that a rule can meet has a text without names of fields and operators", () => {
    const rule = fc.record({
      risk_threshold: fc.option(fc.integer({ min: 0, max: 100 })),
      object_types: fc.option(fc.uniqueArray(fc.constantFrom(...objectTypes), { minLength: 1 })),
      camera_ids: fc.option(fc.constant<string[]>(["back_yard"])),
      min_confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      schedule: fc.option(
        fc.subarray([...weekdays]).map((days) => ({ days, start_time: "00:00", end_time: "00:00", timezone: "Europe/Berlin" })),
      ),
      modes: fc.option(fc.constant<string[]>(["home", "night"])),
      kind: fc.constantFrom("event" as const, "camera_health" as const),
    });
    fc.assert(
      fc.property(rule, (conditions) => {
        const objects = objectTypes.map((objectType) => ({ objectType, confidence: 1 }));
        const at = new Date("2026-03-02T12:00:00Z");
        const times = { startedAt: at, endedAt: at, storedAt: at };
        const facts = { eventId: 1, cameraId: "back_yard", riskScore: 100, mode: initialMode, ...times, objects };
        const { matchedConditions } = evaluate(definitionWith(conditions), { ...facts, kind: conditions.kind });
        for (const text of conditionTexts(matchedConditions)) expect(text).not.toMatch(/_|>=| = |\[|\bobject|\bkind\b/);
      }),
    );
  });
});
