import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesWildcards } from "../../../src/base/text/wildcards.ts";
import { describeMail, type MailRule, ruleFor } from "../../../src/monitoring/receivers/mail-rules.ts";

const mail = (facts: Partial<Parameters<typeof ruleFor>[1]>) => ({ subject: "", senders: [], text: "", ...facts });
const rule = (field: MailRule["field"], pattern: string, camera_id = "gate"): MailRule => ({ field, pattern, camera_id });

describe("mail rules", () => {
  it.each([
    ["subject", "*On Channel A2", { subject: "Embedded Net DVR: Motion Detected On Channel A2" }, true],
    ["subject", "*On Channel A2", { subject: "Embedded Net DVR: Motion Detected On Channel A20" }, false],
    ["subject", "motion*GATE", { subject: "  Motion   at the\r\n gate " }, true],
    ["sender", "gate@*", { senders: ["", "gate@home.lan"] }, true],
    ["sender", "The gate", { senders: ["nvr@home.lan", "The Gate"] }, true],
    ["text", "Alarm Camera Name:Front gate", { text: "Motion\r\n Alarm Camera Name:Front gate\r\nAlarm Event:Motion" }, true],
    ["text", "*NAME(NUM): *(A2)", { text: "EVENT TYPE:    Motion Detected\nCAMERA NAME(NUM):   CAM 2 Garage(A2)" }, true],
    ["text", "*Motion*gate*", { text: "Motion\ngate" }, false],
    ["text", "*2/3*", { text: "Channel 2/3 of 4" }, true],
  ] as const)("%s %s: %o is %s", (field, pattern, facts, matches) => {
    expect(ruleFor([rule(field, pattern)], mail(facts)) !== undefined).toBe(matches);
  });

  it("the first rule that matches decides", () => {
    const rules = [rule("subject", "*gate*", "one"), rule("subject", "*", "two")];
    expect(ruleFor(rules, mail({ subject: "The gate" }))?.camera_id).toBe("one");
    expect(ruleFor(rules, mail({ subject: "The yard" }))?.camera_id).toBe("two");
    expect(ruleFor([], mail({ subject: "The yard" }))).toBeUndefined();
  });

  it("a text matches itself, with anything in place of an asterisk, whatever its case", () => {
    const plain = fc.string().filter((text) => !/[*?]/.test(text) && text.toUpperCase().toLowerCase() === text.toLowerCase());
    fc.assert(
      fc.property(plain, plain, fc.string(), (before, after, middle) => {
        expect(matchesWildcards(`${before}*${after}`, `${before}${middle}${after}`)).toBe(true);
        expect(matchesWildcards(`${before}?${after}`, `${before}x${after}`.toUpperCase())).toBe(true);
        expect(matchesWildcards(`${before}${after}`, `${before}${after}x`)).toBe(false);
      }),
    );
  });

  it("a hostile text or pattern costs little time, and is described in one short line", () => {
    const rules = Array.from({ length: 64 }, () => rule("text", "*a".repeat(100)));
    const facts = mail({ subject: "x\n".repeat(9_000), senders: ['"'.repeat(9_000)], text: "a".repeat(1_000_000) });
    const startedAt = performance.now();
    ruleFor(rules, facts);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(describeMail(facts).length).toBeLessThan(600);
    expect(describeMail(facts)).not.toContain("\n");
  });
});
