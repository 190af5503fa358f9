import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOf, scopeOf } from "../../../src/alerting/silences/request.ts";
import { covers, scopeText, silenceFor, spanText } from "../../../src/alerting/silences/silence.ts";
import { Problem } from "../../../src/contract/problem.ts";
import { silenceRoutes } from "../../../src/contract/routes/silences.ts";

const anyCamera = fc.constantFrom("yard", "gate", "roof");
const anyRule = fc.constantFrom("rule-1", "rule-2", "rule-3");
const anySilence = fc.record({
  id: fc.uuid(),
  camera_id: fc.option(anyCamera, { nil: null }),
  rule_id: fc.option(anyRule, { nil: null }),
  created_at: fc.integer({ min: 0, max: 3 }).map((n) => new Date(n)),
  ends_at: fc.integer({ min: 10, max: 13 }).map((n) => new Date(n)),
});
const anySubject = fc.record({ cameraId: anyCamera, ruleId: anyRule });

describe("choosing the silence that mutes an alert", () => {
  it("choosing a silence: one for another camera or rule never mutes the alert, any other does", () => {
    fc.assert(
      fc.property(anySilence, anySubject, (silence, subject) => {
        const isOther =
          (silence.camera_id !== null && silence.camera_id !== subject.cameraId) ||
          (silence.rule_id !== null && silence.rule_id !== subject.ruleId);
        expect(covers(silence, subject)).toBe(!isOther);
      }),
    );
  });

  it("choosing a silence: picks the one that ends last, regardless of the order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anySilence, { selector: ({ id }) => id, maxLength: 8 }), anySubject, (silences, subject) => {
        const chosen = silenceFor(silences, subject);
        const fitting = silences.filter((silence) => covers(silence, subject));
        expect(chosen === undefined).toBe(fitting.length === 0);
        expect(silenceFor(silences.toReversed(), subject)).toBe(chosen);
        if (chosen) expect(fitting).toContain(chosen);
        for (const { ends_at } of fitting) expect(chosen?.ends_at.getTime()).toBeGreaterThanOrEqual(ends_at.getTime());
      }),
    );
  });

  it("choosing a silence: one for everything mutes everything; one for a camera and a rule mutes only alerts with both", () => {
    const subject = { cameraId: "yard", ruleId: "a" };
    expect(covers({ camera_id: null, rule_id: null }, subject)).toBe(true);
    expect(covers({ camera_id: "yard", rule_id: "b" }, subject)).toBe(false);
    expect(covers({ camera_id: "gate", rule_id: "a" }, subject)).toBe(false);
    expect(covers({ camera_id: "yard", rule_id: "a" }, subject)).toBe(true);
  });
});

describe("silence texts", () => {
  it("silence texts: name the scope", () => {
    const text = (camera: string | null, rule: string | null) =>
      scopeText({ camera_id: camera && "yard", camera_name: camera, rule_id: rule && "x", rule_name: rule });
    expect([text("Yard", null), text(null, "Night"), text("Yard", "Night"), text(null, null)]).toEqual([
      "Yard",
      'rule "Night"',
      'Yard, rule "Night"',
      "everything",
    ]);
  });

  it.each([
    [0, "0 s"],
    [45, "45 s"],
    [90, "1 min 30 s"],
    [7_200, "2 h"],
    [7_261, "2 h 1 min"],
    [30 * 86_400, "30 d"],
  ])("silence texts: %s seconds are %s", (seconds, words) => {
    expect(spanText(new Date(0), new Date(seconds * 1000))).toBe(words);
  });
});

describe("requested silence", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  const body = (given: object) => silenceRoutes.createSilence.body.decode({ reason: "x", ...given } as never);
  const refusedAt = (work: () => unknown): unknown => {
    try {
      return { accepted: work() };
    } catch (error) {
      expect(error).toBeInstanceOf(Problem);
      return (error as Problem).items[0]?.loc.join(".");
    }
  };

  it.each([
    [{}, "body.camera_id"],
    [{ all: false }, "body.camera_id"],
    [{ camera_id: null, rule_id: null }, "body.camera_id"],
    [{ all: true, camera_id: "yard" }, "body.all"],
  ])("requested silence: has exactly one scope: %j", (given, place) => {
    expect(refusedAt(() => scopeOf(body(given)))).toBe(place);
  });

  it.each([
    [{}, "body.duration_seconds"],
    [{ duration_seconds: 60, ends_at: "2026-03-01T13:00:00Z" }, "body.ends_at"],
    [{ ends_at: "2026-03-01T12:00:00Z" }, "body.ends_at"],
    [{ ends_at: "2026-02-28T12:00:00Z" }, "body.ends_at"],
    [{ ends_at: "2026-03-31T12:00:00.001Z" }, "body.ends_at"],
  ])("requested silence: has one end, in the next 30 days: %j", (given, place) => {
    expect(refusedAt(() => endOf(body(given), now))).toBe(place);
  });

  it("requested silence: any accepted end is in the future and at most 30 days away", () => {
    const given = fc.oneof(
      fc.record({ duration_seconds: fc.integer({ min: 1, max: 2_592_000 }) }),
      fc.record({
        ends_at: fc.date({ min: new Date("2026-01-01"), max: new Date("2026-06-01"), noInvalidDate: true }).map((at) => at.toISOString()),
      }),
    );
    fc.assert(
      fc.property(given, (some) => {
        const end = refusedAt(() => endOf(body(some), now));
        if (end === "body.ends_at") return;
        const ms = (end as { accepted: Date }).accepted.getTime() - now.getTime();
        expect(ms).toBeGreaterThan(0);
        expect(ms).toBeLessThanOrEqual(30 * 86_400_000);
      }),
    );
  });
});
