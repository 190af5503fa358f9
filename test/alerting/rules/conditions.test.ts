import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/alerting/rules/conditions.ts";
import type { Rule, RuleFacts } from "../../../src/alerting/rules/rule.ts";
import { factsWith, ruleWith, scheduleWith } from "./rule-values.ts";

const verdict = (rule: Partial<Rule>, facts: Partial<RuleFacts> = {}) => evaluate(ruleWith(rule), factsWith(facts));
const seen = (objects: Readonly<Record<string, number>>) => ({
  objects: Object.entries(objects).map(([objectType, confidence]) => ({ objectType, confidence })),
});

describe("rule without conditions", () => {
  it("rule without conditions: matches every event and names the most confident detection", () => {
    expect(verdict({}, seen({ dog: 0.6, person: 0.8 }))).toEqual({
      matches: true,
      matchedConditions: [],
      failedConditions: [],
      objectType: "person",
    });
    expect(verdict({}, { objects: [] })).toMatchObject({ matches: true, objectType: null });
    expect(verdict({ object_types: [], camera_ids: [] }, seen({ dog: 0.6 })).matches).toBe(true);
  });
});

describe("rule conditions", () => {
  it.each<[string, Partial<Rule>, Partial<RuleFacts>, string | null, string | null]>([
    ["an incident of a camera", { kind: "camera_health" }, { kind: "camera_health", objects: [] }, "kind = camera_health", null],
    ["an incident for a rule on what cameras see", {}, { kind: "camera_health", objects: [] }, null, "kind camera_health is not event"],
    ["what a camera sees for a rule on incidents", { kind: "camera_health" }, {}, null, "kind event is not camera_health"],
    ["score at the threshold", { risk_threshold: 70 }, { riskScore: 70 }, "risk_score >= 70", null],
    ["score below", { risk_threshold: 70 }, { riskScore: 40 }, null, "risk_score 40 < 70"],
    ["no score", { risk_threshold: 0 }, { riskScore: null }, null, "risk_score unknown, not >= 0"],
    ["threshold of zero", { risk_threshold: 0 }, { riskScore: 0 }, "risk_score >= 0", null],
    ["class", { object_types: ["person", "car"] }, {}, "object_type in [person, car]", null],
    ["class in another case", { object_types: ["Person"] }, {}, "object_type in [Person]", null],
    ["no such class", { object_types: ["car"] }, seen({ dog: 0.9, cat: 0.5 }), null, "object_type [dog, cat] not in [car]"],
    ["nothing seen", { object_types: ["car"] }, { objects: [] }, null, "object_type [] not in [car]"],
    ["camera", { camera_ids: ["front_door"] }, {}, "camera_id in [front_door]", null],
    ["other camera", { camera_ids: ["garage", "yard"] }, {}, null, "camera_id front_door not in [garage, yard]"],
    ["confidence", { min_confidence: 0.8 }, seen({ dog: 0.8 }), "confidence >= 0.8", null],
    ["confidence of single precision", { min_confidence: 0.7 }, seen({ dog: Math.fround(0.7) }), "confidence >= 0.7", null],
    ["confidence just below", { min_confidence: 0.7 }, seen({ dog: 0.69998 }), null, "confidence 0.69998 of dog < 0.7"],
    ["confidence of nothing", { min_confidence: 0.7 }, { objects: [] }, null, "no detection, not >= 0.7"],
    ["confidence of zero", { min_confidence: 0 }, seen({ dog: 0 }), "confidence >= 0", null],
    [
      "schedule",
      { schedule: scheduleWith({ days: ["sunday"], start_time: "09:00", end_time: "17:00" }) },
      {},
      "within schedule sun 09:00-17:00 UTC",
      null,
    ],
    [
      "outside of the schedule",
      {
        schedule: scheduleWith({
          days: ["monday", "tuesday", "wednesday", "thursday", "friday"],
          start_time: "22:00",
          end_time: "06:00",
          timezone: "Europe/Berlin",
        }),
      },
      {},
      null,
      "sun 13:00 not within schedule mon-fri 22:00-06:00 Europe/Berlin",
    ],
  ])("%s", (_name, rule, facts, matched, failed) => {
    expect(verdict(rule, facts)).toMatchObject({
      matches: failed === null,
      matchedConditions: matched === null ? [] : [matched],
      failedConditions: failed === null ? [] : [failed],
    });
  });

  it("rule conditions: the verdict lists each one as held or failed, with the actual value", () => {
    const rule = { risk_threshold: 70, object_types: ["person"], camera_ids: ["garage"], min_confidence: 0.5 };
    expect(verdict(rule, { riskScore: 80 })).toEqual({
      matches: false,
      matchedConditions: ["risk_score >= 70", "object_type in [person]", "confidence >= 0.5"],
      failedConditions: ["camera_id front_door not in [garage]"],
      objectType: null,
    });
  });
});

describe("schedule of a rule", () => {
  const night = { schedule: scheduleWith({ start_time: "22:00", end_time: "06:00" }) };
  const at = (text: string) => new Date(`2026-03-${text.replace(" ", "T")}:00Z`);
  const times = (startedAt: string, endedAt: string, storedAt: string) => ({
    ...{ startedAt: at(startedAt), endedAt: at(endedAt), storedAt: at(storedAt) },
  });

  it.each<[string, Partial<RuleFacts>, string | null, string | null]>([
    ["began before it", times("01 21:59", "01 22:00", "01 22:01"), "within schedule 22:00-06:00 UTC", null],
    ["ended in it and is stored after it", times("02 05:58", "02 05:59", "02 06:00"), "within schedule 22:00-06:00 UTC", null],
    [
      "happened in it and is stored hours after it",
      times("02 03:12", "02 03:13", "02 08:00"),
      "within schedule 22:00-06:00 UTC (happened mon 03:12 and stored mon 08:00)",
      null,
    ],
    [
      "is stored in it and happened hours before it",
      times("01 14:10", "01 14:11", "01 23:00"),
      "within schedule 22:00-06:00 UTC (happened sun 14:10 and stored sun 23:00)",
      null,
    ],
    [
      "happened and is stored outside of it",
      times("01 14:10", "01 14:11", "01 18:00"),
      null,
      "happened sun 14:10 and stored sun 18:00 not within schedule 22:00-06:00 UTC",
    ],
  ])("schedule of a rule: an event that %s", (_, facts, matched, failed) => {
    expect(verdict(night, facts)).toMatchObject({
      matchedConditions: matched === null ? [] : [matched],
      failedConditions: failed === null ? [] : [failed],
    });
  });

  it("schedule of a rule: an incident counts when it is evaluated, since it lasts until then", () => {
    const facts = { ...times("02 03:12", "02 04:12", "02 08:00"), kind: "camera_health" as const, objects: [] };
    expect(verdict({ ...night, kind: "camera_health" }, facts)).toMatchObject({
      failedConditions: ["mon 08:00 not within schedule 22:00-06:00 UTC"],
    });
    expect(verdict({ ...night, kind: "camera_health" }, { ...facts, storedAt: at("02 22:00") }).matches).toBe(true);
  });
});

describe("class and confidence", () => {
  const rule = { object_types: ["person", "dog"], min_confidence: 0.8 };
  it("class and confidence: one detection must satisfy both", () => {
    expect(verdict(rule, seen({ person: 0.5, car: 0.95 }))).toMatchObject({
      matches: false,
      matchedConditions: ["object_type in [person, dog]"],
      failedConditions: ["confidence 0.5 of person < 0.8"],
    });
    expect(verdict(rule, seen({ person: 0.5, car: 0.95, dog: 0.85 }))).toMatchObject({ matches: true, objectType: "dog" });
  });
});

/** The wording of the interface, condition by condition. */
function naive(rule: Rule, facts: RuleFacts): boolean {
  const satisfying = facts.objects.filter(
    (object) =>
      (!rule.object_types?.length || rule.object_types.includes(object.objectType)) &&
      (rule.min_confidence === null || object.confidence >= rule.min_confidence),
  );
  const needsDetection = Boolean(rule.object_types?.length) || rule.min_confidence !== null;
  if (needsDetection && satisfying.length === 0) return false;
  if (rule.risk_threshold !== null && (facts.riskScore === null || facts.riskScore < rule.risk_threshold)) return false;
  if (rule.camera_ids?.length && !rule.camera_ids.includes(facts.cameraId)) return false;
  return true;
}

it("rule evaluation: agrees with the conditions read one by one and lists each once", () => {
  const word = (...words: string[]) => fc.constantFrom(...words);
  const types = word("person", "car", "dog");
  const cameras = word("front_door", "garage", "yard");
  // Whole hundredths: a difference of less than 1e-6 does not count.
  const confidence = fc.integer({ min: 0, max: 100 }).map((value) => value / 100);
  const score = fc.option(fc.integer({ min: 0, max: 100 }));
  const rules = fc
    .record({
      risk_threshold: score,
      object_types: fc.option(fc.uniqueArray(types)),
      camera_ids: fc.option(fc.uniqueArray(cameras)),
      min_confidence: fc.option(confidence),
    })
    .map(ruleWith);
  const facts = fc
    .record({ riskScore: score, cameraId: cameras, seen: fc.dictionary(types, confidence) })
    .map(({ seen: objects, ...rest }) => factsWith({ ...rest, ...seen(objects) }));
  fc.assert(
    fc.property(rules, facts, (rule, event) => {
      const { matches, matchedConditions, failedConditions, objectType } = evaluate(rule, event);
      expect(matches).toBe(naive(rule, event));
      expect(failedConditions.length === 0).toBe(matches);
      const set = [rule.risk_threshold, rule.min_confidence].filter((value) => value !== null).length;
      const lists = [rule.object_types, rule.camera_ids].filter((list) => list?.length).length;
      expect(matchedConditions.length + failedConditions.length).toBe(set + lists);
      if (matches && event.objects.length > 0) expect(event.objects.map((object) => object.objectType)).toContain(objectType);
      if (!matches) expect(objectType).toBeNull();
    }),
    { numRuns: 2_000 },
  );
});
