import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDigestCloser } from "../../../daemon/workers/digest-closer.ts";
import { createDailySummary } from "../../../src/alerting/alerts/daily-summary.ts";
import { reevaluateIncidents } from "../../../src/alerting/alerts/suppressed-incidents.ts";
import { chooseMode } from "../../../src/alerting/mode-switching/switch.ts";
import type { RuleDefinition } from "../../../src/alerting/rules/rule.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { endIncidents, openIncident } from "../../../src/monitoring/incidents/incidents.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../../alerting/alerts/alert-desk.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { eventually } from "../../support/eventually.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.empty();
  await desk.db.query((sql) => emptyTables(sql, "mode_state, mode_switches"));
});

const noon = Date.UTC(2026, 2, 1, 12);
const now = () => desk.context.clock.now();
const atMinute = (minutes: number) => desk.at(new Date(noon + minutes * 60_000));
const dead = (changes: Partial<RuleDefinition> = {}) =>
  desk.rule({ name: "A camera is dead", kind: "camera_health", channels: ["email"], cooldown_seconds: 300, ...changes });

/** The yard camera goes silent and the rules are evaluated. */
async function begin(minutes: number): Promise<void> {
  atMinute(minutes);
  const trouble = { cameraId: "yard", cause: "silent" as const, reason: "No picture for 60 s", beganAt: now() };
  await desk.db.transaction((sql) => openIncident(sql, trouble, now()));
  await desk.look();
}
async function end(minutes: number): Promise<void> {
  atMinute(minutes);
  await desk.db.transaction((sql) => endIncidents(sql, "yard", ["silent"], now()));
}
/** The daemon's work of one second. */
async function round(minutes: number): Promise<void> {
  atMinute(minutes);
  const closer = createDigestCloser({
    ...{ db: desk.db, clock: desk.context.clock, delivery: desk.delivery, log: silentLog },
    ...{ onSilenceOver: () => {} },
    dailySummary: createDailySummary(
      { at: undefined, channels: [], availability: desk.delivery.availability, timeZone: "UTC" },
      { db: desk.db, log: silentLog },
    ),
  });
  const before = closer.heartbeat();
  await closer.start();
  await eventually(() => closer.heartbeat() > before + 1);
  await closer.stop();
  await desk.look();
}
const told = async () => (await desk.alerts()).map(({ event_id }) => event_id);

/** A reported silence that has ended, followed at once by a lasting one. */
async function flap(): Promise<void> {
  await begin(0);
  await end(1);
  await begin(4);
}

describe("an incident that a cooldown suppressed", () => {
  it("alerts when the home gets into a mode of the rule, and it still lasts", async () => {
    await dead({ modes: ["night"] });
    await begin(0);
    await round(1);
    expect(await told()).toEqual([]);
    await desk.db.transaction((sql) => chooseMode(sql, { mode: "night", by: null, source: "request", skipExitDelay: false }, now()));
    await round(2);
    expect(await told()).toHaveLength(1);
  });

  it("alerts when the cooldown ends and it still lasts, after the last message reported the camera as working", async () => {
    await dead();
    await flap();
    await round(4.9);
    expect(await told()).toEqual([1]);
    await round(5);
    await round(6);
    await round(600);
    expect(await told()).toEqual([1, 2]);
    const [, alert] = await desk.alerts();
    expect(alert).toMatchObject({ created_at: "2026-03-01T12:05:00.000Z", alert_metadata: { channels: [{ channel: "email" }] } });
    expect((await desk.verdicts(2)).map(({ outcome }) => outcome)).toEqual(["raised"]);
  });

  it("waits for the next cooldown where another alert began one meanwhile", async () => {
    await dead({ dedup_key_template: "all of them" });
    await flap();
    atMinute(5);
    await desk.db.transaction((sql) =>
      openIncident(sql, { cameraId: "gate", cause: "silent", reason: "No picture for 60 s", beganAt: now() }, now()),
    );
    await desk.look();
    await round(6);
    expect(await told()).toEqual([1, 3]);
    await round(9.9);
    expect(await told()).toEqual([1, 3]);
    await round(10);
    expect(await told()).toEqual([1, 3, 2]);
  });

  it("alerts as soon as the cooldown is shortened", async () => {
    const rule = await dead({ cooldown_seconds: 86_400 });
    await flap();
    await desk.ask("updateRule", { params: { id: rule.id }, body: { cooldown_seconds: 60 } });
    await round(4.1);
    expect(await told()).toEqual([1, 2]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["it is over", () => end(4.5)],
    ["its event was deleted", () => desk.ask("deleteEvent", { params: { event_id: "2" } })],
    ["its camera was deleted", () => desk.ask("deleteCamera", { params: { camera_id: "yard" } })],
  ])("is not told when %s by then", async (_, happen) => {
    await dead();
    await flap();
    await happen();
    await round(5);
    expect(await told()).toEqual([1]);
    expect((await desk.verdicts(2)).map(({ outcome }) => outcome)).toEqual(["suppressed"]);
  });

  it("appears only in the digest if there is one", async () => {
    await dead({ digest: true });
    await flap();
    await round(5);
    await round(6);
    expect(await told()).toEqual([1]);
    const rows = await desk.db.query((sql) => sql<{ kind: string }[]>`select n.kind from notifications n order by n.created_at`);
    expect(rows.map(({ kind }) => kind)).toEqual(["alert", "digest"]);
  });

  it("alerts only through the rule that raised its alert under the same key", async () => {
    await dead({ severity: "critical", dedup_key_template: "{camera_id}" });
    await dead({ name: "Another", dedup_key_template: "{camera_id}" });
    await begin(0);
    await round(5);
    expect(await told()).toEqual([1]);
  });

  it("is reported after the cooldown by a rule with a channel that the previous rule under the same key lacks", async () => {
    atMinute(-1);
    await dead({ name: "Shown only", channels: null, dedup_key_template: "{camera_id}" });
    atMinute(0);
    await dead({ name: "By mail", dedup_key_template: "{camera_id}" });
    await begin(0);
    await round(4.9);
    await round(5);
    await round(6);
    await round(600);
    expect(
      (await desk.alerts()).map(({ alert_metadata }) => [
        alert_metadata?.rule_name,
        alert_metadata?.channels?.map(({ channel }) => channel),
      ]),
    ).toEqual([
      ["Shown only", []],
      ["By mail", ["email"]],
    ]);
  });

  it("is reported at once by a rule with the channel, also when rules without it were suppressed too", async () => {
    for (const [minutes, name, channels] of [
      [-3, "Shown only", null],
      [-2, "Shown only too", null],
      [-1, "By mail", ["email" as const]],
    ] as const) {
      atMinute(minutes);
      await dead({ name, channels: channels && [...channels], dedup_key_template: "{camera_id}" });
    }
    await begin(0);
    await round(5);
    await round(600);
    expect((await desk.alerts()).map(({ alert_metadata }) => alert_metadata?.rule_name)).toEqual(["Shown only", "By mail"]);
  });

  it("does not re-evaluate other rules", async () => {
    await dead();
    await flap();
    await desk.rule({ name: "Newer", kind: "camera_health" });
    await round(5);
    expect((await desk.alerts()).map(({ alert_metadata }) => alert_metadata?.rule_name)).toEqual(["A camera is dead", "A camera is dead"]);
  });

  it("counts for the silence that holds by then", async () => {
    await dead();
    await flap();
    await desk.ask("createSilence", { body: { camera_id: "yard", duration_seconds: 3600, reason: "Painters" } });
    await round(5);
    await round(6);
    expect(await told()).toEqual([1]);
    expect((await desk.ask("listSilences", {})).items.map(({ held_back }) => held_back)).toEqual([1]);
  });
});

describe("an incident that begins out of the schedule of a rule", () => {
  // the test starts at noon on a Sunday
  const schedule = { days: [], start_time: "14:00", end_time: "20:00", timezone: "UTC" };
  const waiting = () => desk.db.query(async (sql) => (await sql`select j.job_id from jobs j where j.queue = 'alert'`).count);

  it("alerts once when the schedule begins and it still lasts", async () => {
    await dead({ schedule });
    await begin(0);
    await round(1);
    await round(119.9);
    expect(await told()).toEqual([]);
    for (const minutes of [120, 121, 600, 24 * 60 + 120]) await round(minutes);
    expect(await desk.alerts()).toMatchObject([
      { event_id: 1, created_at: "2026-03-01T14:00:00.000Z", alert_metadata: { channels: [{ channel: "email" }] } },
    ]);
    expect(await desk.verdicts(1)).toMatchObject([
      { outcome: "raised", matched_conditions: ["kind = camera_health", "within schedule 14:00-20:00 UTC"], failed_conditions: [] },
    ]);
  });

  it("does not alert if it is over by then", async () => {
    await dead({ schedule });
    await begin(0);
    await end(90);
    await round(120);
    expect(await told()).toEqual([]);
  });

  it("needs no work until then, and rules for other cameras ignore it", async () => {
    await dead({ schedule });
    await dead({ name: "Another camera", schedule, camera_ids: ["gate"] });
    await begin(0);
    atMinute(119);
    expect(await desk.db.query((sql) => reevaluateIncidents(sql, now()))).toBe(0);
    expect(await waiting()).toBe(0);
    await round(120);
    await round(121);
    expect(await desk.verdicts(1)).toMatchObject([{ outcome: "raised" }, { rule_name: "Another camera", outcome: "not_matched" }]);
    expect(await waiting()).toBe(0);
  });

  it("alerts as soon as the schedule is widened", async () => {
    const rule = await dead({ schedule });
    await begin(0);
    await desk.ask("updateRule", { params: { id: rule.id }, body: { schedule: null } });
    await round(1);
    expect(await told()).toEqual([1]);
  });

  it("waits for the schedule also where the cooldown that held it back ends out of it", async () => {
    await dead({ schedule: { ...schedule, start_time: "11:00", end_time: "12:05" }, cooldown_seconds: 300 });
    await flap();
    await round(5);
    await round(600);
    expect(await told()).toEqual([1]);
    await round(23 * 60);
    expect(await told()).toEqual([1, 2]);
  });

  it("is reported later if a cooldown is active when the schedule begins", async () => {
    const shared = { dedup_key_template: "{camera_id}", channels: ["webhook" as const], severity: "low" as const };
    await dead({ ...shared, name: "Always", cooldown_seconds: 7_500 });
    await dead({ dedup_key_template: "{camera_id}", schedule });
    await begin(0);
    for (const minutes of [120, 124.9, 125, 126]) await round(minutes);
    expect((await desk.alerts()).map(({ created_at }) => created_at)).toEqual(["2026-03-01T12:00:00.000Z", "2026-03-01T14:05:00.000Z"]);
  });
});

it("a suppressed event that is not an incident raises no alert later", async () => {
  await desk.rule({ channels: ["email"] });
  await desk.event();
  await desk.event();
  await desk.look();
  await round(10);
  expect(await told()).toHaveLength(1);
});
