import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dedupKey } from "../../../src/alerting/rules/rule.ts";
import { dedupKeyNames, dedupTemplateFault } from "../../../src/contract/routes/rules.ts";

const values = { camera_id: "front_door", rule_id: "r1", object_type: "person", severity: "high" };

describe("dedup key", () => {
  it.each([
    ["{camera_id}:{rule_id}", "front_door:r1"],
    ["{object_type}/{severity}/{object_type}", "person/high/person"],
    ["one for all", "one for all"],
    ["$&{camera_id}$1", "$&front_door$1"],
  ])("dedup key: the template %s renders %s", (template, key) => {
    expect(dedupTemplateFault(template)).toBeUndefined();
    expect(dedupKey(template, values)).toBe(key);
  });

  it(`dedup key: the class is "none" if no detection matched`, () => {
    expect(dedupKey("{object_type}", { ...values, object_type: null })).toBe("none");
  });

  it("dedup key: values are inserted unchanged", () => {
    expect(dedupKey("{object_type}-{camera_id}", { ...values, object_type: "{camera_id}" })).toBe("{camera_id}-front_door");
  });
});

describe("dedup key template", () => {
  it.each([
    ["{camera}", "Contains the unknown name {camera}"],
    ["{}", "Contains the unknown name {}"],
    ["{Camera_id}", "Contains the unknown name {Camera_id}"],
    ["{ camera_id }", "Contains the unknown name { camera_id }"],
    ["{constructor}", "Contains the unknown name {constructor}"],
    ["{camera_id", "Contains an unmatched brace"],
    ["camera_id}", "Contains an unmatched brace"],
    ["{{camera_id}}", "Contains an unmatched brace"],
    ["{camera_id}}", "Contains an unmatched brace"],
    ["{came{rule_id}ra_id}", "Contains an unmatched brace"],
  ])("dedup key template: refuses %s", (template, reason) => {
    expect(dedupTemplateFault(template)).toContain(reason);
  });
});

it("dedup key: an accepted template renders by simple replacement and leaves no braces", () => {
  const parts = fc.oneof(fc.constantFrom(...dedupKeyNames.map((name) => `{${name}}`)), fc.constantFrom("{", "}", "{x}", ":", "a", "{}"));
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 6 }), (pieces) => {
      const template = pieces.join("");
      if (dedupTemplateFault(template) !== undefined) return;
      const key = dedupKeyNames.reduce((text, name) => text.split(`{${name}}`).join(values[name]), template);
      expect(dedupKey(template, values)).toBe(key);
      expect(key).not.toMatch(/[{}]/);
    }),
    { numRuns: 2_000 },
  );
});
