import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closeDueDigests } from "../../../src/alerting/alerts/digests.ts";
import { processEndedSilences } from "../../../src/alerting/alerts/ended-silences.ts";
import { Problem } from "../../../src/contract/problem.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../alerts/alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk({ ...withMail, DEFAULT_WEBHOOK_URL: "http://127.0.0.1:9/", LOG_RETENTION_DAYS: "7" });
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query((sql) => sql`truncate silences cascade`);
  await desk.empty();
});

const silence = (body: object = {}) =>
  desk.ask("createSilence", { body: { camera_id: "yard", duration_seconds: 7_200, reason: "Painters", ...body } });
const get = (id: string) => desk.ask("getSilence", { params: { id } });
const end = (id: string) => desk.ask("endSilence", { params: { id } });
const seen = async (camera = "yard", fields: Parameters<AlertDesk["event"]>[0] = {}) => {
  const id = await desk.event({ camera, ...fields });
  await desk.look();
  return id;
};
const takeUp = () => processEndedSilences(desk.db, desk.delivery, desk.context.clock.now(), 10);
const notifications = () =>
  desk.db.query(
    async (sql) =>
      await sql<{ silence_id: string; channel: string; status: string }[]>`
        select n.silence_id, n.channel, n.status from notifications n where n.kind = 'silence' order by n.channel
      `,
  );

describe("active silence", () => {
  it("active silence: a matching rule raises nothing, and its verdict names the silence", async () => {
    await desk.rule({ channels: ["email"] });
    const { id } = await silence();
    const hidden = await seen();
    expect(await desk.alerts()).toEqual([]);
    expect(await desk.verdicts(hidden)).toMatchObject([
      {
        outcome: "suppressed",
        alert_id: null,
        suppressed_by: null,
        suppressed_until: new Date("2026-03-01T14:00:00Z"),
        silence_id: id,
        silence_reason: "Painters",
      },
    ]);
    const [counts] = await desk.db.query(
      (sql) => sql<[object]>`
        select (select count(*) from cooldowns) as cooldowns, (select count(*) from notifications) as notifications,
          (select count(*) from jobs j where j.queue = 'deliver') as deliveries
      `,
    );
    expect(counts).toEqual({ cooldowns: 0, notifications: 0, deliveries: 0 });
    expect(await desk.journal("alert_created")).toEqual([]);
    expect(await get(id)).toMatchObject({ status: "active", held_back: 1, camera_name: "Yard", ended_at: null });
  });

  it("active silence: other cameras and rules still alert, and the first match after its end alerts at once", async () => {
    const [first, second] = [await desk.rule({ name: "First" }), await desk.rule({ name: "Second" })];
    await silence({ rule_id: first.id });
    await seen("gate");
    await seen("yard");
    expect((await desk.alerts()).map(({ camera_id, rule_id }) => [camera_id, rule_id])).toEqual(
      expect.arrayContaining([
        ["gate", first.id],
        ["gate", second.id],
        ["yard", second.id],
      ]),
    );
    expect(await desk.alerts()).toHaveLength(3);
    desk.at("2026-03-01T13:59:59.999Z");
    await seen("yard");
    expect((await desk.alerts()).filter(({ camera_id, rule_id }) => camera_id === "yard" && rule_id === first.id)).toEqual([]);
    desk.at("2026-03-01T14:00:00Z");
    await seen("yard");
    expect((await desk.alerts()).filter(({ camera_id, rule_id }) => camera_id === "yard" && rule_id === first.id)).toHaveLength(1);
  });

  it("active silence: takes precedence over a running cooldown, whose digest leaves out muted alerts", async () => {
    await desk.rule({ channels: ["email"], digest: true, cooldown_seconds: 600 });
    await seen();
    const { id } = await silence({ duration_seconds: 60 });
    await seen();
    desk.at("2026-03-01T12:02:00Z");
    await seen();
    expect((await desk.verdicts()).map(({ outcome, silence_id }) => [outcome, silence_id])).toEqual([
      ["raised", null],
      ["suppressed", id],
      ["suppressed", null],
    ]);
    desk.at("2026-03-01T12:10:00Z");
    expect(await closeDueDigests(desk.db, desk.delivery, desk.context.clock.now(), 10)).toBe(1);
  });

  it("active silence: the time of evaluation counts, not the time of the event", async () => {
    await desk.rule({ risk_threshold: 50 });
    const before = await desk.event();
    const { id } = await silence();
    await desk.score(before, 90);
    await desk.look();
    const during = await seen();
    desk.at("2026-03-01T15:00:00Z");
    await desk.score(during, 90);
    await desk.look();
    expect((await desk.alerts()).map(({ event_id }) => event_id)).toEqual([during]);
    expect(await get(id)).toMatchObject({ held_back: 1, status: "ended", ended_at: "2026-03-01T14:00:00.000Z" });
  });

  it("active silence: counts an event once per rule, however often it is evaluated", async () => {
    await desk.rule({ risk_threshold: 50 });
    await desk.rule({ risk_threshold: 60 });
    const { id } = await silence();
    const event = await seen("yard", { score: 70 });
    await desk.score(event, 80);
    await desk.look();
    await desk.score(event, 90);
    await desk.look();
    expect(await get(id)).toMatchObject({ held_back: 2 });
  });

  it("active silence: an escalating rule runs again once the score is known, and the silences of that moment apply", async () => {
    await desk.rule({ escalate: true });
    const { id } = await silence();
    const [within, after] = [await seen(), await seen()];
    await desk.score(within, 90);
    await desk.look();
    expect(await desk.alerts()).toEqual([]);
    desk.at("2026-03-01T14:00:00Z");
    await desk.score(after, 90);
    await desk.look();
    expect((await desk.alerts()).map(({ event_id }) => event_id)).toEqual([after]);
    // It was muted at first, nevertheless.
    expect(await get(id)).toMatchObject({ held_back: 2 });
  });

  it("active silence: of several, the one that ends last mutes an alert", async () => {
    await desk.rule();
    await silence({ duration_seconds: 60 });
    const longest = await silence({ camera_id: null, all: true, duration_seconds: 120 });
    await silence({ duration_seconds: 90 });
    await seen();
    expect((await desk.verdicts())[0]).toMatchObject({ silence_id: longest.id });
  });

  it("active silence: mutes incidents of its camera too", async () => {
    const rule = await desk.rule({ kind: "camera_health" });
    const { id } = await silence();
    const [event] = await desk.db.query(
      (sql) => sql<[{ id: number }]>`
        insert into events (camera_id, kind, started_at, ended_at, summary, analysis_status) values ('yard', 'camera_health', now(), now(), 'dark', 'completed')
        returning event_id as id
      `,
    );
    await desk.db.query(
      (sql) =>
        sql`insert into jobs (queue, subject, position, available_at) values ('alert', ${`${event.id}:stored:0`}, now(), '2026-01-01')`,
    );
    await desk.look();
    expect(await desk.verdicts(event.id)).toMatchObject([{ rule_id: rule.id, silence_id: id }]);
  });

  it("active silence: rule tests and backtests ignore it", async () => {
    const rule = await desk.rule();
    await silence();
    await seen();
    expect(await desk.ask("testRule", { params: { id: rule.id }, body: {} })).toMatchObject({
      events_matched: 1,
      alerts_after_cooldown: 1,
    });
    expect(await desk.ask("backtestRule", { params: { id: rule.id }, body: {} })).toMatchObject({ tested: { alerts_after_cooldown: 1 } });
  });
});

describe("end of a silence", () => {
  it("end of a silence: each channel gets one summary, and clients one message", async () => {
    await desk.rule({ channels: ["email", "webhook"] });
    await desk.rule({ channels: ["email", "push"] });
    await desk.rule({ channels: null });
    const { id } = await silence();
    await seen();
    desk.at("2026-03-01T13:59:59.999Z");
    expect(await takeUp()).toEqual([]);
    desk.at("2026-03-01T14:00:00Z");
    const taken = await Promise.all([takeUp(), takeUp(), takeUp()]);
    expect(taken.flat()).toMatchObject([{ id, status: "ended", held_back: 3 }]);
    expect(await takeUp()).toEqual([]);
    expect(await notifications()).toMatchObject([
      { silence_id: id, channel: "email", status: "waiting" },
      { silence_id: id, channel: "push", status: "unusable" },
      { silence_id: id, channel: "webhook", status: "waiting" },
    ]);
    expect(await desk.journal("silence.started")).toMatchObject([{ id, status: "active", held_back: 0 }]);
    expect(await desk.journal("silence.ended")).toMatchObject([
      { id, status: "ended", held_back: 3, ended_at: "2026-03-01T14:00:00.000Z" },
    ]);
  });

  it("end of a silence: by hand, it ends at once, and any daemon that can send sends the summary", async () => {
    await desk.rule({ channels: ["email"] });
    const { id } = await silence();
    await seen();
    desk.at("2026-03-01T12:30:00Z");
    expect(await end(id)).toMatchObject({
      status: "ended",
      ended_at: "2026-03-01T12:30:00.000Z",
      ends_at: "2026-03-01T14:00:00.000Z",
      held_back: 1,
    });
    await seen();
    expect(await desk.alerts()).toHaveLength(1);
    expect(await notifications()).toEqual([]);
    expect(await takeUp()).toMatchObject([{ id, ended_at: new Date("2026-03-01T12:30:00Z") }]);
    expect(await notifications()).toHaveLength(1);
    desk.at("2026-03-01T14:30:00Z");
    expect(await takeUp()).toEqual([]);
    expect(await desk.journal("silence.ended")).toHaveLength(1);
  });

  it("end of a silence: a silence that muted nothing is announced to clients only", async () => {
    await desk.rule({ channels: ["email"] });
    await silence();
    await seen("gate");
    desk.at("2026-03-01T14:00:00Z");
    expect(await takeUp()).toHaveLength(1);
    expect(await notifications()).toEqual([]);
    expect(await desk.journal("silence.ended")).toMatchObject([{ held_back: 0 }]);
  });

  it("end of a silence: a summary that could not be sent is a dead letter and can be retried", async () => {
    await desk.rule({ channels: ["email"] });
    const { id } = await silence();
    await seen();
    desk.at("2026-03-01T14:00:00Z");
    await takeUp();
    await desk.db.query(async (sql) => {
      await sql`update jobs j set status = 'dead', last_error = 'the mail server said no' where j.queue = 'deliver'`;
      await sql`update notifications n set status = 'failed', finished_at = now()`;
    });
    const { items } = await desk.ask("listDeadLetters", { params: { queue: "deliver" } });
    expect(items).toMatchObject([
      { notification: { alert_id: null, silence_id: id, kind: "silence", channel: "email", camera_id: "yard" } },
    ]);
    expect(await desk.ask("requeueDeadLetters", { params: { queue: "deliver" } })).toMatchObject({ requeued: 1 });
    expect(await notifications()).toMatchObject([{ status: "waiting" }]);
  });

  it("end of a silence: happens once, by hand or by time", async () => {
    const { id } = await silence();
    const ends = await Promise.allSettled([end(id), end(id), end(id)]);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = ends.flatMap((each) => (each.status === "rejected" ? [each.reason as Problem] : []));
    for (const problem of refused)
      expect(problem).toMatchObject({ kind: "conflict", message: expect.stringContaining("ended at 2026-03-01T12:00") });
    const other = await silence();
    desk.at("2026-03-01T14:00:00Z");
    await expect(end(other.id)).rejects.toMatchObject({ kind: "conflict" });
    await expect(end("nothing")).rejects.toBeInstanceOf(Problem);
    await expect(get("9a9f9a62-3e8c-4f41-9f0a-000000000000")).rejects.toMatchObject({ kind: "not_found" });
  });
});

describe("silence", () => {
  it("silence: is refused for an unknown camera or rule", async () => {
    await expect(silence({ camera_id: "nowhere" })).rejects.toMatchObject({ kind: "not_found", message: "Camera nowhere does not exist" });
    const rule_id = "9a9f9a62-3e8c-4f41-9f0a-000000000000";
    await expect(silence({ rule_id })).rejects.toMatchObject({ kind: "not_found", message: `Rule ${rule_id} does not exist` });
    await desk.ask("deleteCamera", { params: { camera_id: "gate" } });
    await expect(silence({ camera_id: "gate" })).rejects.toMatchObject({ kind: "not_found" });
    for (const wrong of [
      { reason: " " },
      { reason: "" },
      { rule_id: "x" },
      { duration_seconds: 0 },
      { duration_seconds: 2_592_001 },
      { who: "me" },
    ]) {
      await expect(silence(wrong), JSON.stringify(wrong)).rejects.toMatchObject({ kind: "invalid" });
    }
    expect((await desk.ask("listSilences")).items).toEqual([]);
  });

  it("silence: outlives its rule, its camera and its events, and its summary lists what it muted", async () => {
    const rule = await desk.rule({ channels: ["email"], name: "Gone" });
    const { id } = await silence({ rule_id: rule.id });
    await seen();
    await desk.ask("deleteRule", { params: { id: rule.id } });
    await desk.ask("deleteCamera", { params: { camera_id: "yard" } });
    await desk.db.query((sql) => sql`delete from events`);
    expect(await get(id)).toMatchObject({ rule_id: rule.id, rule_name: "Gone", camera_name: "Yard", held_back: 1, status: "active" });
    desk.at("2026-03-01T14:00:00Z");
    expect(await takeUp()).toMatchObject([{ held_back: 1 }]);
    expect(await notifications()).toMatchObject([{ channel: "email", status: "waiting" }]);
  });

  it("silence: is listed by state and deleted LOG_RETENTION_DAYS after its end, once its summary is sent", async () => {
    await desk.rule({ channels: ["email"] });
    const old = await silence({ duration_seconds: 60 });
    await seen();
    desk.at("2026-03-01T12:05:00Z");
    await takeUp();
    desk.at("2026-03-05T12:00:00Z");
    const running = await silence({ duration_seconds: 30 * 86_400 });
    const ids = async (query: string) => (await desk.ask("listSilences", { query })).items.map(({ id }) => id);
    expect(await ids("")).toEqual([running.id, old.id]);
    expect(await ids("status=active")).toEqual([running.id]);
    expect(await ids("status=ended")).toEqual([old.id]);
    desk.at("2026-03-09T12:00:00Z");
    await desk.ask("cleanUp", { query: "dry_run=false" });
    expect(await ids("")).toEqual([running.id, old.id]);
    await desk.db.query((sql) => sql`update notifications n set status = 'sent', finished_at = now()`);
    await desk.ask("cleanUp", { query: "dry_run=false" });
    expect(await ids("")).toEqual([running.id]);
    // The verdict still states its reason.
    expect((await desk.verdicts())[0]).toMatchObject({ silence_id: old.id, silence_reason: "Painters" });
  });
});

describe("explain", () => {
  it("explain: names the silence for an event, for an earlier alert and for the camera's minute", async () => {
    await desk.rule({ name: "Somebody" });
    await seen();
    const [alert] = await desk.alerts();
    const { id } = await silence();
    desk.at("2026-03-01T12:30:00Z");
    const hidden = await seen();
    const event = await desk.ask("explainEvent", { params: { event_id: String(hidden) } });
    expect(event.outcome).toBe(
      `Event ${hidden} raised no alert. Rule "Somebody" matched, but the silence ${id} ("Painters") (until 2026-03-01T14:00:00.000Z) muted it.`,
    );
    expect(event.steps.find(({ step }) => step === "rule")).toMatchObject({
      status: "stopped",
      details: { outcome: "suppressed", silence_id: id, silence_reason: "Painters", suppressed_until: "2026-03-01T14:00:00.000Z" },
    });
    const text = `The silence ${id} ("Painters") of Yard mutes alerts from 2026-03-01T12:00:00.000Z until 2026-03-01T14:00:00.000Z and has muted 1 alert.`;
    const ofAlert = await desk.ask("explainAlert", { params: { alert_id: alert?.id ?? "" } });
    expect(ofAlert.steps.filter(({ step }) => step === "silence").map((step) => step.text)).toEqual([text]);
    const minute = await desk.ask("explainMoment", { params: { camera_id: "yard" }, query: "at=2026-03-01T12:30:00Z" });
    expect(minute.outcome).toContain(`Alerts of this camera were silenced: ${id}.`);
    expect(minute.steps.map((step) => step.text)).toEqual(expect.arrayContaining([text, expect.stringContaining("muted it.")]));
    const other = await desk.ask("explainMoment", { params: { camera_id: "gate" }, query: "at=2026-03-01T12:30:00Z" });
    expect(JSON.stringify(other)).not.toContain(id);
    await end(id);
    const later = await desk.ask("explainMoment", { params: { camera_id: "yard" }, query: "at=2026-03-01T12:45:00Z" });
    expect(JSON.stringify(later)).not.toContain(id);
  });
});
