import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialMode } from "../../../src/alerting/modes/mode.ts";
import { conditionText, conditionTexts } from "../../../src/alerting/rules/condition-words.ts";
import { evaluate } from "../../../src/alerting/rules/conditions.ts";
import { weekdays } from "../../../src/base/clock/calendar.ts";
import { objectTypes } from "../../../src/contract/constants.ts";
import { german } from "../../../web/texts/daemon/german.ts";
import { definitionWith } from "./rule-values.ts";

describe("conditions for people", () => {
  it.each([
    ["risk_score >= 70", ["the risk score is 70 or more"]],
    ["object_type in [person]", ["a person was seen"]],
    ["object_type in [person, car, dog]", ["a person, a car or a dog was seen"]],
    ["confidence >= 0.55", ["the confidence is 55 % or more"]],
    ["within schedule 22:00-06:00 Europe/Berlin", ["it was within 22:00-06:00 Europe/Berlin"]],
    ["camera_id in [gate, yard]", []],
    ["kind = camera_health", []],
    ["something of a later version", ["something of a later version"]],
  ])("%s", (condition, texts) => {
    expect(conditionTexts([condition])).toEqual(texts);
  });

  it.each([
    ["risk_score 42 < 70", "the risk score is 42, and the rule needs 70 or more"],
    ["risk_score unknown, not >= 70", "there is no risk score, and the rule needs 70 or more"],
    ["object_type [dog] not in [person, car]", "only a dog was seen, and the rule needs a person or a car"],
    ["object_type [dog, airplane, dog] not in [person]", "only a dog and an airplane were seen, and the rule needs a person"],
    ["object_type [] not in [person]", "nothing was seen, and the rule needs a person"],
    ["camera_id yard not in [gate, street]", "it was at yard, and the rule is for gate and street"],
    ["camera_id in [gate, yard]", "it was at camera gate or yard"],
    ["confidence 0.4 of dog < 0.55", "the confidence of the dog is 40 %, and the rule needs 55 % or more"],
    ["no detection, not >= 0.5", "nothing was seen, and the rule needs a confidence of 50 % or more"],
    ["sun 13:00 not within schedule mon-fri 22:00-06:00 UTC", "sun 13:00 is not within mon-fri 22:00-06:00 UTC"],
    ["feet at 0.42, 0.81: not in driveway", "it stood at 0.42, 0.81, which is not in driveway"],
    ["no zone gate or street at yard", "camera yard has no zone gate or street"],
    ["size 0.1 of dog < 0.25", "the dog was 10 % of the picture's height, and the rule needs 25 % or more"],
    ["no detection with a size >= 0.25", "nothing was at least 25 % of the picture's height"],
    [
      "place of the detection unknown, so zone in [driveway] counts as holding",
      "the place of the detection is unknown, so this counts as met: it was in driveway",
    ],
  ])("%s, in an explanation", (condition, text) => {
    expect(conditionText(condition)).toBe(text);
    expect(german(text, (unknown) => expect.fail(`no German: ${unknown}`))).not.toBe(text);
  });

  it("every condition that a rule can meet or fail has a text without names of fields and operators", () => {
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
        const other = conditions.kind === "event" ? ("camera_health" as const) : ("event" as const);
        const none = { ...facts, riskScore: null, cameraId: "gate", objects: objects.slice(-1), kind: other };
        const { failedConditions } = evaluate(definitionWith(conditions), none);
        for (const text of [...conditionTexts(matchedConditions), ...failedConditions.map(conditionText)]) {
          expect(text.replaceAll("back_yard", "")).not.toMatch(/_|[<>]| = |\[|\bobject|\bkind\b/);
          expect(german(text, (unknown) => expect.fail(`no German: ${unknown}`))).not.toBe(text);
        }
      }),
    );
  });
});
