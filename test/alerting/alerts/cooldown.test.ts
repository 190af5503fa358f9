import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { releaseFutureJobs } from "../../../daemon/workers/caretaker.ts";
import { closeDueDigests } from "../../../src/alerting/alerts/digests.ts";
import type { RuleDefinition, Severity } from "../../../src/alerting/rules/rule.ts";
import { type AlertDesk, openAlertDesk } from "./alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

const outcomes = async () => (await desk.verdicts()).map(({ outcome }) => outcome);
const start = Date.parse("2026-03-01T12:00:00Z");
const after = (seconds: number) => desk.at(new Date(start + seconds * 1_000));

/** An event this many seconds after the start, evaluated at once. */
const eventAt = async (seconds: number, fields: Parameters<AlertDesk["event"]>[0] = {}) => {
  after(seconds);
  const id = await desk.event(fields);
  await desk.look();
  return id;
};

describe("cooldown", () => {
  it("cooldown: suppresses alerts under its key until it ends, and names the alert and the end", async () => {
    await desk.rule({ cooldown_seconds: 300 });
    await eventAt(0);
    const held = await eventAt(299.999);
    await eventAt(300);
    const [first, second] = await desk.alerts();
    expect(await outcomes()).toEqual(["raised", "suppressed", "raised"]);
    expect(await desk.verdicts(held)).toMatchObject([
      { suppressed_by: first?.id, suppressed_until: new Date(start + 300_000), alert_id: null },
    ]);
    expect([first?.event_id, second?.event_id]).toEqual([1, 3]);
  });

  it("cooldown: lasts no longer than intended after the clock was set back", async () => {
    await desk.rule({ cooldown_seconds: 3_600 });
    await eventAt(0);
    desk.at(new Date(start - 3_000_000));
    await desk.db.transaction((sql) => releaseFutureJobs(sql, desk.context.clock.now()));
    await eventAt(-3_000 + 3_599);
    await eventAt(-3_000 + 3_600);
    expect(await outcomes()).toEqual(["raised", "suppressed", "raised"]);
  });

  it.each([60, 0])("cooldown: a shorter one (%d s) applies to alerts raised before", async (cooldown_seconds) => {
    const rule = await desk.rule({ cooldown_seconds: 86_400 });
    await eventAt(0);
    await desk.ask("updateRule", { params: { id: rule.id }, body: { cooldown_seconds } });
    await eventAt(3_600);
    expect(await outcomes()).toEqual(["raised", "raised"]);
  });

  it("cooldown: ends with its rule; other rules under the same key alert, and its digest is sent at once", async () => {
    const shared = { dedup_key_template: "{camera_id}", channels: ["email" as const] };
    const rule = await desk.rule({ ...shared, cooldown_seconds: 86_400, digest: true });
    await eventAt(0);
    await eventAt(60);
    await desk.ask("deleteRule", { params: { id: rule.id } });
    expect(await closeDueDigests(desk.db, desk.delivery, desk.context.clock.now(), 10)).toBe(1);
    await desk.rule({ ...shared, name: "B", cooldown_seconds: 60 });
    await eventAt(3_600);
    expect(await outcomes()).toEqual(["raised", "suppressed", "raised"]);
  });

  it("cooldown: starts at a raised alert only; suppressed events do not extend it", async () => {
    await desk.rule({ cooldown_seconds: 10 });
    for (const seconds of [0, 4, 8, 10, 12, 19, 20]) await eventAt(seconds);
    expect(await outcomes()).toEqual(["raised", "suppressed", "suppressed", "raised", "suppressed", "suppressed", "raised"]);
  });

  it("cooldown: does not apply to other cameras, or to other classes if the key names them", async () => {
    await desk.rule({ name: "by class", dedup_key_template: "{camera_id}:{object_type}" });
    for (const [camera, seen] of [
      ["yard", { person: 0.9 }],
      ["gate", { person: 0.9 }],
      ["yard", { car: 0.9, person: 0.5 }],
      ["yard", { person: 0.7 }],
    ] as const) {
      after(1);
      await desk.event({ camera, seen });
      await desk.look();
    }
    expect((await desk.alerts()).map(({ dedup_key }) => dedup_key).toSorted()).toEqual(["gate:person", "yard:car", "yard:person"]);
    expect(await outcomes()).toEqual(["raised", "raised", "raised", "suppressed"]);
  });

  it("cooldown: zero seconds suppress nothing", async () => {
    await desk.rule({ cooldown_seconds: 0 });
    for (let n = 0; n < 3; n += 1) await eventAt(0);
    expect(await outcomes()).toEqual(["raised", "raised", "raised"]);
  });

  it("cooldown: of two rules that share a key, the more severe one starts it", async () => {
    await desk.rule({ name: "a low one", severity: "low", dedup_key_template: "{camera_id}" });
    await desk.rule({ name: "the critical one", severity: "critical", dedup_key_template: "{camera_id}" });
    await eventAt(0);
    expect(await desk.alerts()).toMatchObject([{ severity: "critical", dedup_key: "yard" }]);
    expect(await outcomes()).toEqual(["suppressed", "raised"]);
  });

  it("cooldown: one from the future, after the clock was set back, lasts for its own length", async () => {
    await desk.rule({ cooldown_seconds: 300 });
    await eventAt(0);
    await eventAt(-299);
    await eventAt(-86_400);
    expect(await outcomes()).toEqual(["raised", "suppressed", "raised"]);
  });

  it("cooldown: agrees with a simple model", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 12 }),
        async (cooldown, gaps) => {
          await desk.empty();
          await desk.rule({ cooldown_seconds: cooldown });
          let seconds = 0;
          let endsAt = 0;
          const expected: string[] = [];
          for (const gap of gaps) {
            seconds += gap;
            await eventAt(seconds);
            expected.push(seconds >= endsAt ? "raised" : "suppressed");
            if (seconds >= endsAt) endsAt = seconds + cooldown;
          }
          expect(await outcomes()).toEqual(expected);
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe("escalation", () => {
  it("escalation: an event of a higher risk level passes, others are suppressed", async () => {
    await desk.rule({ risk_threshold: 0, escalate: true });
    // Low, low, medium, medium, critical, high, critical.
    for (const [at, score] of [10, 29, 30, 59, 80, 79, 100].entries()) await eventAt(at, { score });
    expect(await outcomes()).toEqual(["raised", "suppressed", "raised", "suppressed", "raised", "suppressed", "suppressed"]);
  });

  it("escalation: is off by default", async () => {
    await desk.rule({ risk_threshold: 0 });
    await eventAt(0, { score: 10 });
    await eventAt(1, { score: 100 });
    expect(await outcomes()).toEqual(["raised", "suppressed"]);
  });

  it("escalation: starts its own cooldown", async () => {
    await desk.rule({ risk_threshold: 0, escalate: true, cooldown_seconds: 10 });
    await eventAt(0, { score: 10 });
    await eventAt(9, { score: 90 });
    await eventAt(18, { score: 90 });
    await eventAt(19, { score: 10 });
    expect(await outcomes()).toEqual(["raised", "raised", "suppressed", "raised"]);
  });

  it("escalation: a rule without a threshold evaluates a suppressed event again once it has a score", async () => {
    await desk.rule({ escalate: true });
    const first = await eventAt(0);
    const second = await eventAt(1);
    expect(await outcomes()).toEqual(["raised", "suppressed"]);
    await desk.score(first, 65);
    await desk.score(second, 62);
    await desk.look();
    // Not higher than the current level of the alerted event.
    expect(await outcomes()).toEqual(["raised", "suppressed"]);
    await desk.score(second, 95);
    await desk.look();
    expect(await outcomes()).toEqual(["raised", "raised"]);
    expect(await desk.alerts()).toHaveLength(2);
  });

  it("escalation: a suppressed event that is no more severe raises nothing, even after the cooldown", async () => {
    await desk.rule({ escalate: true, cooldown_seconds: 300 });
    const first = await eventAt(0);
    const second = await eventAt(290);
    const third = await eventAt(295);
    after(310);
    await desk.score(first, 40);
    for (const [id, score] of [
      [second, 10],
      [third, 95],
    ] as const) {
      await desk.score(id, score);
      await desk.look();
    }
    expect(await outcomes()).toEqual(["raised", "suppressed", "raised"]);
  });

  describe("rule with a threshold beside one without, under the same key", () => {
    const shared = { dedup_key_template: "{camera_id}", cooldown_seconds: 300 };
    /**
     * Results for an event that the less severe rule alerts on and the other rule evaluates once it is scored, and for another event
     * after it.
     */
    const alerted = async (severity: Severity, changes: Partial<RuleDefinition>) => {
      await desk.rule({ ...shared, name: "harmless", severity });
      await desk.rule({ ...shared, name: "grave", severity: "critical", risk_threshold: 70, ...changes });
      for (const seconds of [0, 60]) {
        const id = await eventAt(seconds);
        after(seconds + 5);
        await desk.score(id, 95);
        await desk.look();
      }
      return (await desk.alerts()).map(({ alert_metadata, event_id }) => `${alert_metadata?.rule_name} ${event_id}`);
    };

    it("rule with a threshold: raises a second alert for the same event, once, if it is more severe", async () => {
      expect(await alerted("low", { escalate: true })).toEqual(["harmless 1", "grave 1"]);
      expect(await desk.verdicts(2)).toMatchObject([
        { rule_name: "grave", outcome: "suppressed" },
        { rule_name: "harmless", outcome: "suppressed" },
      ]);
    });

    it.each<[string, Severity, Partial<RuleDefinition>]>([
      ["is as severe", "critical", { escalate: true }],
      ["does not say so", "low", {}],
    ])("holds it back when it %s", async (_, severity, changes) => {
      expect(await alerted(severity, changes)).toEqual(["harmless 1"]);
    });
  });
});
