import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, escalationAt, nextRepeat, quietUntil } from "../../../src/alerting/recipients/decision.ts";
import { recipientDefaults } from "../../../src/alerting/recipients/recipient.ts";
import type { Schedule } from "../../../src/alerting/rules/rule.ts";
import { isWithin } from "../../../src/alerting/rules/schedule.ts";
import { weekdays } from "../../../src/base/clock/calendar.ts";
import { dayMs, minuteMs } from "../../../src/base/clock/clock.ts";
import { severities } from "../../../src/contract/constants.ts";

const time = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
const schedule: fc.Arbitrary<Schedule> = fc
  .record({
    days: fc.subarray([...weekdays]),
    window: fc.option(fc.tuple(time, time)),
    timezone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"),
  })
  .map(({ days, window, timezone }) => ({ days, timezone, start_time: window?.[0] ?? null, end_time: window?.[1] ?? null }));
const hours = fc.option(fc.array(schedule, { minLength: 1, maxLength: 3 }));
/** Two years with their changes of the clock. */
const instant = fc
  .integer({ min: Date.UTC(2026, 0, 1) / 1000, max: Date.UTC(2028, 0, 1) / 1000 })
  .map((seconds) => new Date(seconds * 1000));
const ruleIds = ["one", "two"];
const recipient = fc.record({
  hours,
  severity: fc.constantFrom(...severities),
  rule_ids: fc.option(fc.subarray(ruleIds, { minLength: 1 })),
  critical_anytime: fc.boolean(),
  enabled: fc.boolean(),
});
const alert = fc.record({ severity: fc.constantFrom(...severities), ruleId: fc.option(fc.constantFrom(...ruleIds, "three")) });
const rank = (severity: (typeof severities)[number]): number => severities.indexOf(severity);

describe("decision about a recipient", () => {
  it("decision: a wanted alert is sent or waits, an unwanted one never is, for any wishes, hours and time", () => {
    fc.assert(
      fc.property(recipient, alert, instant, (wishes, told, now) => {
        const isWanted =
          wishes.enabled &&
          rank(told.severity) >= rank(wishes.severity) &&
          (wishes.rule_ids === null || wishes.rule_ids.includes(told.ruleId ?? ""));
        const isOpenHour = wishes.hours === null || wishes.hours.some((each) => isWithin(each, now));
        const isUrgent = told.severity === "critical" && wishes.critical_anytime;
        const { kind } = decide(wishes, told, now);
        expect(kind).toBe(isWanted ? (isOpenHour || isUrgent ? "notified" : "held_back") : "left_out");
      }),
      { numRuns: 300 },
    );
  });

  it("decision: what waits is sent at the first minute of the hours, also across changes of the clock", () => {
    fc.assert(
      fc.property(hours, instant, (given, now) => {
        const until = quietUntil({ hours: given, critical_anytime: false }, "critical", now);
        if (until === undefined) return;
        expect(until.getTime()).toBeGreaterThan(now.getTime());
        expect(until.getTime() - now.getTime()).toBeLessThanOrEqual(8 * dayMs);
        expect(quietUntil({ hours: given, critical_anytime: false }, undefined, until)).toBeUndefined();
        const before = new Date(until.getTime() - minuteMs);
        if (before > now) expect(given?.some((each) => isWithin(each, before))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it("decision: only critical alerts repeat, at the distance and number that the recipient chose", () => {
    const wishes = fc.record({ repeat_minutes: fc.integer({ min: 1, max: 60 }), repeat_times: fc.nat(10) });
    fc.assert(
      fc.property(wishes, fc.constantFrom(...severities), instant, (chosen, severity, start) => {
        let [at, repeats] = [start, 0];
        for (let next = nextRepeat(chosen, severity, repeats, at); next; next = nextRepeat(chosen, severity, repeats, at)) {
          expect(next.getTime() - at.getTime()).toBe(chosen.repeat_minutes * minuteMs);
          [at, repeats] = [next, repeats + 1];
        }
        expect(repeats).toBe(severity === "critical" ? chosen.repeat_times : 0);
      }),
    );
  });

  it("decision: an alert escalates only from a recipient with a next one", () => {
    const now = new Date("2026-03-01T12:00:00Z");
    expect(escalationAt(recipientDefaults, now)).toBeUndefined();
    expect(escalationAt({ escalate_to: "Ben", escalate_minutes: 10 }, now)).toEqual(new Date("2026-03-01T12:10:00Z"));
  });
});
