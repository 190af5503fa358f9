import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endIncidents, openIncident } from "../../../src/monitoring/incidents/incidents.ts";
import { type AlertDesk, openAlertDesk } from "../../alerting/alerts/alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

/** What is answered to why there was no alert of an event, and how its rules are shown. */
const explain = async (eventId: number) => {
  const { outcome, steps } = await desk.ask("explainEvent", { params: { event_id: String(eventId) } });
  return { outcome: outcome.replace(/alert [0-9a-f-]{36}, raised .*?,/, "alert A"), rules: steps.filter(({ step }) => step === "rule") };
};

describe("an event that a cooldown held back", () => {
  it("has no alert yet while it is not judged and its rule escalates", async () => {
    await desk.rule({ escalate: true });
    await desk.event();
    await desk.event();
    await desk.look();
    const { outcome, rules } = await explain(2);
    expect(outcome).toMatch(/^No alert came of event 2 yet\. .* held it back until .*\. It looks again when the event is judged\.$/);
    expect(rules.map(({ status }) => status)).toEqual(["waiting"]);

    await desk.score(1, 50);
    await desk.score(2, 10);
    await desk.look();
    const judged = await explain(2);
    expect(judged.outcome).toMatch(/^No alert came of event 2\. .* held it back until \S+\.$/);
    expect(judged.rules.map(({ status }) => status)).toEqual(["stopped"]);
  });

  it("has no alert when nothing will make its rule look again", async () => {
    await desk.rule();
    await desk.event();
    await desk.event();
    await desk.look();
    expect((await explain(2)).outcome).toMatch(/^No alert came of event 2\. .* held it back until \S+\.$/);
  });

  it("has no alert yet when it is an incident that lasts", async () => {
    await desk.rule({ kind: "camera_health" });
    const now = desk.context.clock.now();
    for (const cause of ["black", "silent"] as const) {
      await desk.db.transaction((sql) => openIncident(sql, { cameraId: "yard", cause, reason: "Tried", beganAt: now }, now));
    }
    await desk.look();
    const { outcome, rules } = await explain(2);
    expect(outcome).toMatch(/^No alert came of event 2 yet\. .* held it back until .*\. It looks again then, if the incident lasts\.$/);
    expect(rules.map(({ status }) => status)).toEqual(["waiting"]);
  });

  it("has no alert yet when it is an incident that began out of the schedule of its rule and lasts", async () => {
    await desk.rule({ kind: "camera_health", schedule: { days: [], start_time: "14:00", end_time: "20:00", timezone: "UTC" } });
    const now = desk.context.clock.now();
    await desk.db.transaction((sql) => openIncident(sql, { cameraId: "yard", cause: "silent", reason: "Tried", beganAt: now }, now));
    await desk.look();
    const { outcome, rules } = await explain(1);
    expect(outcome).toMatch(
      /^No alert came of event 1 yet\. .* did not match: sun 12:00 not within schedule 14:00-20:00 UTC\. It looks again when its schedule holds, if the incident lasts\.$/,
    );
    expect(rules.map(({ status }) => status)).toEqual(["waiting"]);
    await desk.db.transaction((sql) => endIncidents(sql, "yard", ["silent"], now));
    expect((await explain(1)).outcome).toMatch(/^No alert came of event 1\. .* not within schedule 14:00-20:00 UTC\.$/);
  });
});
