import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldOfCondition } from "../../../src/alerting/rules/condition-field.ts";
import { evaluate } from "../../../src/alerting/rules/conditions.ts";
import type { PlacedObject, Rule } from "../../../src/alerting/rules/rule.ts";
import { contains } from "../../../src/contract/polygon.ts";
import { factsWith, ruleWith } from "./rule-values.ts";

const rectangle = (name: string, left: number, top: number, right: number, bottom: number) => ({
  name,
  points: [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ],
});
const zones = [rectangle("Driveway", 0, 0.5, 0.5, 1), rectangle("street", 0, 0, 1, 0.3), rectangle("gate", 0.4, 0.5, 0.6, 1)];
const at = (objectType: string, x: number, y: number, more: Partial<PlacedObject> = {}): PlacedObject => ({
  ...{ objectType, confidence: 0.9, feet: { x, y }, height: 0.2 },
  ...more,
});
const factsOf = (placed: readonly PlacedObject[], given = zones) => {
  const best = new Map<string, PlacedObject>();
  for (const seen of placed) if (seen.confidence > (best.get(seen.objectType)?.confidence ?? -1)) best.set(seen.objectType, seen);
  return factsWith({ placed, zones: given, objects: [...best.values()].map(({ objectType, confidence }) => ({ objectType, confidence })) });
};
const verdict = (rule: Partial<Rule>, placed: readonly PlacedObject[]) => evaluate(ruleWith(rule), factsOf(placed));

describe("conditions on places", () => {
  it.each<[string, Partial<Rule>, PlacedObject[], string[], string[]]>([
    ["zone: holds inside, in any case", { zones: ["driveway"] }, [at("car", 0.2, 0.8)], ["zone in [driveway]"], []],
    ["zone: fails outside", { zones: ["driveway"] }, [at("car", 0.72, 0.81)], [], ["feet at 0.72, 0.81: not in driveway"]],
    ["zone: one of several is enough", { zones: ["street", "gate"] }, [at("car", 0.5, 0.5)], ["zone in [street, gate]"], []],
    ["zone: fails where the camera has none", { zones: ["garden"] }, [at("car", 0.2, 0.8)], [], ["no zone garden at front_door"]],
    ["zone: fails without a detection", { zones: ["street"] }, [], [], ["no detection in street"]],
    ["excluded zone: holds outside", { not_zones: ["street"] }, [at("car", 0.2, 0.8)], ["zone not in [street]"], []],
    ["excluded zone: fails inside", { not_zones: ["STREET"] }, [at("car", 0.2, 0.1)], [], ["feet at 0.20, 0.10: in street"]],
    ["excluded zone: holds where the camera has none", { not_zones: ["garden"] }, [at("car", 0.2, 0.1)], ["zone not in [garden]"], []],
    ["excluded zone: fails without a detection", { not_zones: ["street"] }, [], [], ["no detection outside street"]],
    ["size: holds at the limit", { min_size: 0.2 }, [at("car", 0.2, 0.1)], ["size >= 0.2"], []],
    ["size: fails below", { min_size: 0.25 }, [at("car", 0.2, 0.1)], [], ["size 0.2 of car < 0.25"]],
    ["size: fails without a detection", { min_size: 0.25 }, [], [], ["no detection with a size >= 0.25"]],
    [
      "unknown place: counts as holding",
      { zones: ["driveway"], min_size: 0.5 },
      [at("car", 0, 0, { feet: null, height: null })],
      [
        "place of the detection unknown, so zone in [driveway] counts as holding",
        "place of the detection unknown, so size >= 0.5 counts as holding",
      ],
      [],
    ],
  ])("%s", (_, rule, placed, matchedConditions, failedConditions) => {
    expect(verdict(rule, placed)).toMatchObject({ matches: failedConditions.length === 0, matchedConditions, failedConditions });
    for (const failed of failedConditions) expect(Object.keys(rule)).toContain(fieldOfCondition(failed));
  });

  it("one detection must have the class, the place, the size and the confidence", () => {
    const rule = { object_types: ["car"], zones: ["driveway"], not_zones: ["gate"], min_size: 0.1, min_confidence: 0.5 };
    const car = at("car", 0.2, 0.8);
    const others = [
      at("person", 0.2, 0.8),
      at("car", 0.9, 0.9),
      at("car", 0.45, 0.8),
      at("car", 0.2, 0.8, { height: 0.05 }),
      at("car", 0.2, 0.8, { confidence: 0.4 }),
    ];
    expect(verdict(rule, [...others, car])).toMatchObject({ matches: true, objectType: "car" });
    expect(verdict(rule, others)).toMatchObject({ matches: false, failedConditions: ["confidence 0.4 of car < 0.5"] });
    expect(verdict(rule, [at("person", 0.2, 0.8)]).failedConditions).toEqual(["object_type [person] not in [car]"]);
  });

  it("agrees with the conditions read one by one, in any order of zones and detections", () => {
    const share = fc.integer({ min: 0, max: 100 }).map((value) => value / 100);
    const names = fc.option(fc.uniqueArray(fc.constantFrom("driveway", "street", "gate", "garden"), { minLength: 1 }));
    const seen = fc.record({
      objectType: fc.constantFrom("person", "car"),
      confidence: share,
      feet: fc.option(fc.record({ x: share, y: share })),
      height: fc.option(share),
    });
    const rules = fc.record({
      object_types: fc.option(fc.constantFrom<string[]>(["person"], ["car"])),
      zones: names,
      not_zones: names,
      min_size: fc.option(share),
      min_confidence: fc.option(share),
    });
    const isIn = (listed: readonly string[], { feet }: PlacedObject) =>
      zones.some(({ name, points }) => listed.includes(name.toLowerCase()) && feet !== null && contains(points, feet));
    fc.assert(
      fc.property(rules, fc.array(seen, { maxLength: 6 }), fc.nat(), (rule, placed, by) => {
        const satisfying = placed.filter(
          (one) =>
            (!rule.object_types || rule.object_types.includes(one.objectType)) &&
            (!rule.zones || (rule.zones.some((name) => name !== "garden") && (one.feet === null || isIn(rule.zones, one)))) &&
            (!rule.not_zones || !isIn(rule.not_zones, one)) &&
            (rule.min_size === null || one.height === null || one.height >= rule.min_size) &&
            (rule.min_confidence === null || one.confidence >= rule.min_confidence),
        );
        const needsOne = Object.values(rule).some((condition) => condition !== null);
        const result = verdict(rule, placed);
        expect(result.matches).toBe(!needsOne || satisfying.length > 0);
        const turned = [...placed.slice(by % (placed.length + 1)), ...placed.slice(0, by % (placed.length + 1))];
        const again = evaluate(ruleWith(rule), factsOf(turned, zones.toReversed()));
        expect(again.matches).toBe(result.matches);
        expect(again.objectType).toBe(result.objectType);
      }),
    );
  });
});
