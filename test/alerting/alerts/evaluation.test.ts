import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteRule } from "../../../src/alerting/rules/rules-repository.ts";
import { storeAnalysisFailure } from "../../../src/monitoring/events/analysis.ts";
import { type AlertDesk, openAlertDesk, withMail } from "./alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

const waiting = () => desk.db.query(async (sql) => (await sql`select j.job_id from jobs j where j.queue = 'alert'`).count);

describe("verdicts", () => {
  it("verdicts: one for each rule, raised with the matched conditions or not matched with the failed ones", async () => {
    const dogs = await desk.rule({ name: "dogs", object_types: ["dog"], cooldown_seconds: 0 });
    const people = await desk.rule({ name: "people", object_types: ["person"], cooldown_seconds: 0 });
    const id = await desk.event({ seen: { person: 0.9 } });
    await desk.look();
    const [alert] = await desk.alerts();
    const none = { alert_id: null, suppressed_by: null, suppressed_until: null, silence_id: null, silence_reason: null, silence_by: null };
    expect(await desk.verdicts()).toEqual([
      {
        ...none,
        event_id: id,
        rule_id: dogs.id,
        rule_name: "dogs",
        outcome: "not_matched",
        matched_conditions: [],
        failed_conditions: ["object_type [person] not in [dog]"],
      },
      {
        ...none,
        event_id: id,
        rule_id: people.id,
        rule_name: "people",
        outcome: "raised",
        matched_conditions: ["object_type in [person]"],
        failed_conditions: [],
        alert_id: alert?.id,
      },
    ]);
    expect(alert).toMatchObject({
      event_id: id,
      rule_id: people.id,
      severity: "high",
      alert_metadata: { rule_name: "people", matched_conditions: ["object_type in [person]"] },
    });
  });

  it("verdicts: rules without a threshold run when an event is stored, rules with one when it is scored", async () => {
    await desk.rule({ name: "stored" });
    await desk.rule({ name: "threshold", risk_threshold: 70 });
    const id = await desk.event();
    await desk.look();
    expect(await desk.verdicts()).toMatchObject([{ rule_name: "stored", outcome: "raised" }]);
    await desk.score(id, 69);
    await desk.look();
    expect(await desk.verdicts()).toMatchObject([
      { rule_name: "stored", outcome: "raised" },
      { rule_name: "threshold", outcome: "not_matched", failed_conditions: ["risk_score 69 < 70"] },
    ]);
    expect(await desk.alerts()).toHaveLength(1);
  });

  it("verdicts: change when an event is analysed again, until a rule has raised an alert", async () => {
    await desk.rule({ risk_threshold: 70, cooldown_seconds: 0 });
    const id = await desk.event({ score: 50 });
    const seen: string[] = [];
    for (const score of [60, 70, 10, 100]) {
      await desk.score(id, score);
      await desk.look();
      seen.push((await desk.verdicts())[0]?.outcome ?? "none");
    }
    expect(seen).toEqual(["not_matched", "raised", "raised", "raised"]);
    expect(await desk.verdicts()).toMatchObject([{ matched_conditions: ["risk_score >= 70"] }]);
    expect(await desk.alerts()).toHaveLength(1);
  });

  it("verdicts: an event raises its alert later if it is analysed again after the cooldown", async () => {
    await desk.rule({ risk_threshold: 50 });
    await desk.event({ score: 80 });
    const second = await desk.event({ score: 80 });
    await desk.look();
    expect((await desk.verdicts(second))[0]?.outcome).toBe("suppressed");
    desk.at("2026-03-01T13:00:00Z");
    await desk.score(second, 80);
    await desk.look();
    expect(await desk.verdicts(second)).toMatchObject([{ outcome: "raised", suppressed_by: null, suppressed_until: null }]);
  });

  it("verdicts: say that the event was deleted", async () => {
    await desk.rule();
    const id = await desk.event();
    await desk.ask("deleteEvent", { params: { event_id: String(id) } });
    await desk.look();
    expect(await desk.verdicts()).toMatchObject([
      { outcome: "not_matched", failed_conditions: ["the event was deleted before the rule looked at it"] },
    ]);
    expect(await desk.alerts()).toEqual([]);
  });

  it("verdicts: say that the camera was deleted, also after both are restored", async () => {
    await desk.rule({ channels: ["email"] });
    const id = await desk.event();
    const params = { camera_id: "yard" };
    await desk.ask("deleteCamera", { params });
    await desk.look();
    const failed = ["the camera was deleted before the rule looked at it"];
    expect(await desk.verdicts()).toMatchObject([{ outcome: "not_matched", failed_conditions: failed }]);
    await desk.ask("restoreCamera", { params });
    await desk.ask("deleteEvent", { params: { event_id: String(id) } });
    await desk.ask("restoreEvent", { params: { event_id: String(id) } });
    await desk.look();
    expect(await desk.verdicts()).toMatchObject([{ outcome: "not_matched", failed_conditions: failed }]);
    expect(await desk.alerts()).toEqual([]);
    await desk.event();
    await desk.look();
    expect(await desk.alerts()).toHaveLength(1);
  });

  it("verdicts: restoring an event runs the rules that found it deleted, and no others", async () => {
    const event = async (what: "deleteEvent" | "restoreEvent", id: number) => await desk.ask(what, { params: { event_id: String(id) } });
    await desk.rule({ name: "at once" });
    await desk.rule({ name: "waits", risk_threshold: 70 });
    await desk.event();
    const held = await desk.event();
    await desk.look();
    await event("deleteEvent", held);
    await desk.score(held, 95);
    const unseen = await desk.event({ camera: "gate" });
    await event("deleteEvent", unseen);
    await desk.look();
    expect(await desk.alerts()).toHaveLength(1);
    // The cooldown of the first alert is over, but the suppressed event is old.
    desk.at("2026-03-01T13:00:00Z");
    for (const id of [held, unseen]) await event("restoreEvent", id);
    await desk.look();
    expect((await desk.verdicts()).map(({ event_id, rule_name, outcome }) => [event_id, rule_name, outcome])).toEqual([
      [1, "at once", "raised"],
      [held, "at once", "suppressed"],
      [held, "waits", "raised"],
      [unseen, "at once", "raised"],
    ]);
    await event("deleteEvent", held);
    await event("restoreEvent", held);
    expect(await waiting()).toBe(0);
  });

  it("verdicts: the schedule is evaluated at the time the event was stored, so a night event scored in the morning alerts", async () => {
    const night = { days: [], start_time: "22:00", end_time: "06:00", timezone: "UTC" };
    await desk.rule({ risk_threshold: 50, schedule: night });
    desk.at("2026-03-01T23:30:00Z");
    const id = await desk.event();
    desk.at("2026-03-02T09:00:00Z");
    await desk.score(id, 90);
    const byDay = await desk.event({ score: 90, camera: "gate" });
    await desk.look();
    expect((await desk.verdicts()).map(({ event_id, outcome }) => [event_id, outcome])).toEqual([
      [id, "raised"],
      [byDay, "not_matched"],
    ]);
  });

  it("verdicts: a night rule alerts about a night event that was stored in the morning, and alert, explain and backtest say so", async () => {
    const night = { days: [], start_time: "22:00", end_time: "06:00", timezone: "UTC" };
    const rule = await desk.rule({ name: "Night", schedule: night });
    desk.at("2026-03-02T08:00:00Z");
    const events = [
      { camera_id: "yard", started_at: "2026-03-02T03:12:00Z", ended_at: "2026-03-02T03:12:40Z" },
      { camera_id: "gate", started_at: "2026-03-02T07:59:00Z", ended_at: "2026-03-02T07:59:20Z" },
    ];
    const stored = await desk.ask("createEvents", { body: { events } });
    const [atNight, byDay] = stored.results.map(({ id }) => id as number);
    await desk.look();

    const late = "within schedule 22:00-06:00 UTC (happened mon 03:12 and stored mon 08:00)";
    expect((await desk.verdicts()).map(({ event_id, outcome }) => [event_id, outcome])).toEqual([
      [atNight, "raised"],
      [byDay, "not_matched"],
    ]);
    expect(await desk.alerts()).toMatchObject([
      { event_id: atNight, alert_metadata: { matched_conditions: [late], late_seconds: 4 * 3600 + 47 * 60 + 20 } },
    ]);
    const { steps } = await desk.ask("explainEvent", { params: { event_id: String(atNight) } });
    const texts = steps.map(({ text }) => text).join("\n");
    expect(texts).toContain(`Rule "Night" matched (${late.replace("within schedule", "it was within")}) and raised alert`);
    expect(texts).toContain('was raised by rule "Night", 4 h 47 min after the event ended.');
    const { results } = await desk.ask("testRule", { params: { id: rule.id } });
    expect(results.map(({ event_id, matches }) => [event_id, matches]).toSorted()).toEqual([
      [atNight, true],
      [byDay, false],
    ]);
    const { events: replayed } = await desk.ask("backtestRule", { params: { id: rule.id } });
    expect(replayed).toMatchObject([{ event_id: atNight, alert: true, matched_conditions: [late] }]);
  });

  it("verdicts: an alert says how late it is when a score arrives hours after its event, and an alert in time says nothing", async () => {
    await desk.rule({ risk_threshold: 50 });
    const id = await desk.event();
    await desk.event({ score: 90, camera: "gate" });
    await desk.look();
    desk.at("2026-03-01T14:00:00Z");
    await desk.score(id, 90);
    await desk.look();
    const alerts = await desk.alerts();
    expect(alerts.find(({ event_id }) => event_id === id)?.alert_metadata.late_seconds).toBe(7_200);
    expect(alerts.find(({ event_id }) => event_id !== id)?.alert_metadata.late_seconds).toBe(null);
  });

  it("verdicts: a rule that lost its threshold while an event waited for its score runs when the score arrives", async () => {
    const rule = await desk.rule({ risk_threshold: 50 });
    const id = await desk.event();
    await desk.look();
    desk.at("2026-03-01T12:01:00Z");
    await desk.ask("updateRule", { params: { id: rule.id }, body: { risk_threshold: null } });
    await desk.score(id, 90);
    await desk.look();
    expect((await desk.verdicts(id)).map(({ outcome }) => outcome)).toEqual(["raised"]);
    // A rule that was evaluated when the event was stored keeps its verdict.
    const next = await desk.event();
    await desk.look();
    await desk.score(next, 90);
    await desk.look();
    expect(await desk.verdicts(next)).toHaveLength(1);
  });

  it("verdicts: such a rule also runs if the analysis fails, and no other rule does", async () => {
    const rule = await desk.rule({ name: "changed", risk_threshold: 50 });
    await desk.rule({ name: "waits", risk_threshold: 50 });
    await desk.rule({ name: "at once", escalate: true });
    const fail = async (id: number) => {
      const now = desk.context.clock.now();
      await desk.db.transaction((sql) => storeAnalysisFailure(sql, { eventId: id, attempt: 3, error: "no JSON", now }));
      await desk.look();
    };
    const ids = [await desk.event(), await desk.event({ camera: "gate" })];
    await desk.look();
    desk.at("2026-03-01T12:01:00Z");
    await desk.ask("updateRule", { params: { id: rule.id }, body: { risk_threshold: null } });
    for (const id of ids) {
      await fail(id);
      expect((await desk.verdicts(id)).map(({ rule_name, outcome }) => [rule_name, outcome])).toEqual([
        ["at once", "raised"],
        ["changed", "raised"],
      ]);
    }
    expect(await desk.alerts()).toHaveLength(4);
  });

  it("verdicts: a rule with an unknown time zone counts as inside its schedule and does not stop other rules", async () => {
    await desk.rule({ name: "good" });
    await desk.rule({
      name: "elsewhere",
      schedule: { days: [], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" },
    });
    await desk.db.query(
      (sql) => sql`update rules set schedule = jsonb_set(schedule, '{timezone}', '"Mars/Olympus"') where name = 'elsewhere'`,
    );
    await desk.event();
    await desk.look();
    const verdicts = await desk.verdicts();
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(["raised", "raised"]);
    const elsewhere = verdicts.find(({ rule_name }) => rule_name === "elsewhere");
    expect(elsewhere?.matched_conditions).toEqual([expect.stringContaining("time zone Mars/Olympus is not known here")]);
  });

  it("verdicts: stay with their alert when the rule is deleted; a rule deleted before it ran has none", async () => {
    const rule = await desk.rule();
    await desk.event();
    await desk.look();
    await desk.event();
    await desk.db.query((sql) => deleteRule(sql, rule.id));
    await desk.look();
    expect(await desk.verdicts()).toMatchObject([{ rule_id: rule.id, outcome: "raised" }]);
    expect(await desk.alerts()).toMatchObject([{ rule_id: null, alert_metadata: { rule_name: "A rule" } }]);
    expect(await waiting()).toBe(0);
  });

  it("verdicts: a failed evaluation is a dead letter of the queue `alert` with its event and can be retried", async () => {
    await desk.rule();
    const id = await desk.event();
    await desk.db.query((sql) => sql`update jobs j set status = 'dead', attempts = 5, last_error = 'boom' where j.queue = 'alert'`);
    const { items } = await desk.ask("listDeadLetters", { params: { queue: "alert" } });
    expect(items).toMatchObject([{ queue: "alert", error: "boom", event: { event_id: id, camera_id: "yard" }, image: null }]);
    await desk.ask("requeueDeadLetters", { params: { queue: "alert" } });
    await desk.look();
    expect(await desk.verdicts(id)).toMatchObject([{ outcome: "raised" }]);
  });

  it("verdicts: nothing is queued if no rule is enabled for the trigger", async () => {
    await desk.event({ score: 50 });
    await desk.rule({ enabled: false });
    await desk.event({ score: 50 });
    expect(await waiting()).toBe(0);
    await desk.rule({ risk_threshold: 10 });
    await desk.event();
    expect(await waiting()).toBe(0);
    await desk.event({ score: 50 });
    expect(await waiting()).toBe(1);
  });
});

describe("raised alert", () => {
  it("raised alert: without channels it is delivered at once and announced to clients and webhooks", async () => {
    const told = ["alert_fired"];
    await desk.db.query(
      (sql) => sql`
        insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
        values (gen_random_uuid(), 'Hook', 'http://127.0.0.1:9/', ${told}::text[], 'generic', 'x', 4, 10, now(), now())
      `,
    );
    await desk.rule();
    await desk.event();
    await desk.look();
    const [alert] = await desk.alerts();
    expect(alert).toMatchObject({
      status: "delivered",
      delivered_at: "2026-03-01T12:00:00.000Z",
      alert_metadata: { channels: [], reason: null },
    });
    expect(await desk.journal("alert_created")).toEqual([{ ...alert, status: "pending", delivered_at: null }]);
    expect(await desk.journal("alert_delivered")).toEqual([alert]);
    const deliveries = await desk.db.query((sql) => sql`select d.event_type, d.event_id, d.data from webhook_deliveries d`);
    const data = { ...alert, event_url: `/api/events/${alert?.event_id}` };
    expect([...deliveries]).toEqual([{ event_type: "alert_fired", event_id: alert?.id, data: expect.objectContaining(data) }]);
  });

  it("raised alert: with a channel it waits for that channel until ALERT_EXPIRY_HOURS have passed", async () => {
    await desk.rule({ channels: ["email", "push"] });
    await desk.event();
    await desk.look();
    const [alert] = await desk.alerts();
    expect(alert).toMatchObject({ status: "pending", delivered_at: null, alert_metadata: { reason: null } });
    expect(alert?.alert_metadata.channels).toMatchObject([
      { channel: "email", status: "waiting" },
      { channel: "push", status: "unusable" },
    ]);
    const rows = await desk.db.query((sql) => sql`select n.expires_at from notifications n where n.channel = 'email'`);
    expect([...rows]).toEqual([{ expires_at: new Date("2026-03-02T12:00:00Z") }]);
    expect(await desk.journal("alert_delivered")).toEqual([]);
  });

  it("raised alert: without a usable channel it stays pending and says why", async () => {
    await desk.rule({ channels: ["webhook", "push"] });
    await desk.event();
    await desk.look();
    const [alert] = await desk.alerts();
    expect(alert?.status).toBe("pending");
    expect(alert?.alert_metadata.reason).toMatch(/^webhook: .*DEFAULT_WEBHOOK_URL.*; push: /);
    expect(await desk.journal("alert_created")).toEqual([alert]);
  });
});
