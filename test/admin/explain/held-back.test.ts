import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endIncidents, openIncident } from "../../../src/monitoring/incidents/incidents.ts";
import { type AlertDesk, openAlertDesk } from "../../alerting/alerts/alert-desk.ts";
import { shownInGerman } from "../../support/german.ts";

/** The reason of the incident that the test opens. */
const quoted: readonly RegExp[] = [/^tried\.$/];

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

/** Returns the answer to why an event raised no alert, and the steps of its rules. */
const explain = async (eventId: number) => {
  const { outcome, steps } = shownInGerman(await desk.ask("explainEvent", { params: { event_id: String(eventId) } }), quoted);
  return { outcome: outcome.replace(/alert [0-9a-f-]{36}, raised .*?,/, "alert A"), rules: steps.filter(({ step }) => step === "rule") };
};

describe("explain: an event that a cooldown suppressed", () => {
  it("waits for the risk score when its rule escalates", async () => {
    await desk.rule({ escalate: true });
    await desk.event();
    await desk.event();
    await desk.look();
    const { outcome, rules } = await explain(2);
    expect(outcome).toMatch(
      /^Event 2 raised no alert yet\. .* suppressed it until .*\. It is evaluated again when the event has a risk score\.$/,
    );
    expect(rules.map(({ status }) => status)).toEqual(["waiting"]);

    await desk.score(1, 50);
    await desk.score(2, 10);
    await desk.look();
    const judged = await explain(2);
    expect(judged.outcome).toMatch(/^Event 2 raised no alert\. .* suppressed it until \S+\.$/);
    expect(judged.rules.map(({ status }) => status)).toEqual(["stopped"]);
  });

  it("is final when nothing triggers another evaluation", async () => {
    await desk.rule();
    await desk.event();
    await desk.event();
    await desk.look();
    expect((await explain(2)).outcome).toMatch(/^Event 2 raised no alert\. .* suppressed it until \S+\.$/);
  });

  it("waits for the end of the cooldown while its incident is open", async () => {
    await desk.rule({ kind: "camera_health" });
    const now = desk.context.clock.now();
    for (const cause of ["black", "silent"] as const) {
      await desk.db.transaction((sql) => openIncident(sql, { cameraId: "yard", cause, reason: "Tried", beganAt: now }, now));
    }
    await desk.look();
    const { outcome, rules } = await explain(2);
    expect(outcome).toMatch(
      /^Event 2 raised no alert yet\. .* suppressed it until .*\. It is evaluated again then, if the incident is still open\.$/,
    );
    expect(rules.map(({ status }) => status)).toEqual(["waiting"]);
  });

  it("waits for the schedule of its rule while its incident is open", async () => {
    await desk.rule({ kind: "camera_health", schedule: { days: [], start_time: "14:00", end_time: "20:00", timezone: "UTC" } });
    const now = desk.context.clock.now();
    await desk.db.transaction((sql) => openIncident(sql, { cameraId: "yard", cause: "silent", reason: "Tried", beganAt: now }, now));
    await desk.look();
    const { outcome, rules } = await explain(1);
    expect(outcome).toMatch(
      /^Event 1 raised no alert yet\. .* did not match: sun 12:00 is not within 14:00-20:00 UTC\. It is evaluated again when its schedule starts, if the incident is still open\.$/,
    );
    expect(rules.map(({ status }) => status)).toEqual(["waiting"]);
    await desk.db.transaction((sql) => endIncidents(sql, "yard", ["silent"], now));
    expect((await explain(1)).outcome).toMatch(/^Event 1 raised no alert\. .* is not within 14:00-20:00 UTC\.$/);
  });
});
