import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDailySummary, type SummarySettings } from "../../../src/alerting/alerts/daily-summary.ts";
import type { Message } from "../../../src/alerting/delivery/message.ts";
import { composeMail } from "../../../src/alerting/email/compose.ts";
import { quiet } from "../../../src/alerting/notifications/quiet.ts";
import { findNotification } from "../../../src/alerting/notifications/sending-repository.ts";
import { lastDueSummary, nextSummaryAt } from "../../../src/alerting/summaries/schedule.ts";
import { findSummary } from "../../../src/alerting/summaries/summaries-repository.ts";
import { dayMs } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { parseMail } from "../../support/mail.ts";
import { type AlertDesk, openAlertDesk, withMail } from "./alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.empty();
  await desk.db.query((sql) => emptyTables(sql, "daily_summaries, webhooks, recipients"));
});

const settings = (): SummarySettings => ({
  ...{ at: "07:30", channels: ["email"], availability: desk.delivery.availability, timeZone: "UTC" },
});
const sender = (changes: Partial<SummarySettings> = {}) =>
  createDailySummary({ ...settings(), ...changes }, { db: desk.db, log: silentLog });
/** Runs several daemons at a time. */
async function daemonsAt(time: string, changes: Partial<SummarySettings> = {}): Promise<void> {
  desk.at(time);
  await Promise.all([1, 2, 3].map(() => sender(changes).sendIfDue(desk.context.clock.now())));
}
const queued = async () =>
  await desk.db.query(async (sql) => [
    ...(await sql<{ day: string; channel: string; status: string }[]>`
      select n.summary_day::text as day, n.channel, n.status from notifications n where n.kind = 'summary' order by n.created_at, n.channel collate "C"
    `),
  ]);

describe("daily summary", () => {
  it("daily summary: is sent once a day by one of several daemons, from the first time after it was set up", async () => {
    await daemonsAt("2026-03-01T12:00:00Z");
    expect(await queued()).toEqual([]);
    await daemonsAt("2026-03-02T07:29:59Z");
    expect(await queued()).toEqual([]);
    await daemonsAt("2026-03-02T07:30:00Z");
    await daemonsAt("2026-03-02T07:31:00Z");
    await daemonsAt("2026-03-02T20:00:00Z", { at: "19:00" });
    expect(await queued()).toEqual([{ day: "2026-03-02", channel: "email", status: "waiting" }]);
    const jobs = await desk.db.query((sql) => sql`select from jobs where queue = 'deliver' and subject like 'notification:%'`);
    expect(jobs).toHaveLength(1);
  });

  it("daily summary: is sent up to 12 hours late, and the next one names the days without one", async () => {
    await daemonsAt("2026-03-01T12:00:00Z");
    await daemonsAt("2026-03-02T19:29:00Z");
    await daemonsAt("2026-03-03T19:31:00Z");
    expect((await queued()).map(({ day }) => day)).toEqual(["2026-03-02"]);
    await daemonsAt("2026-03-05T08:00:00Z");
    expect((await queued()).map(({ day }) => day)).toEqual(["2026-03-02", "2026-03-05"]);
    const sent = await desk.db.query((sql) => findSummary(sql, "2026-03-05"));
    expect(sent).toMatchObject({ day: { date: "2026-03-04" }, missed: { first: "2026-03-03", last: "2026-03-04" } });
  });

  it("daily summary: the next one does not name days on which it was switched off", async () => {
    await daemonsAt("2026-03-01T12:00:00Z");
    await daemonsAt("2026-03-02T08:00:00Z");
    for (const day of ["03", "04", "05"]) await daemonsAt(`2026-03-${day}T06:00:00Z`, { at: undefined });
    await daemonsAt("2026-03-05T06:30:00Z");
    await daemonsAt("2026-03-05T07:30:00Z");
    expect((await queued()).map(({ day }) => day)).toEqual(["2026-03-02", "2026-03-05"]);
    expect(await desk.db.query((sql) => findSummary(sql, "2026-03-05"))).toMatchObject({ missed: null });
  });

  it("daily summary: goes to named webhooks and people, once each, and waits for the hours of a person", async () => {
    const hook = async (name: string, event_types: string[]) =>
      await desk.ask("createWebhook", { body: { name, url: "http://127.0.0.1:9/", integration_type: "chat_blocks", event_types } });
    const [family] = [await hook("Family", ["event_created"]), await hook("Log", ["daily_summary"]), await hook("Other", ["alert_fired"])];
    const hours = [{ start_time: "09:00", end_time: "22:00", timezone: "UTC" }];
    await desk.ask("createRecipient", { body: { name: "Anna", channels: ["anna@example.org"], hours } });
    const { availability } = desk.delivery;
    await daemonsAt("2026-03-01T12:00:00Z", { channels: ["family", "ANNA", "Ben"], availability });
    await daemonsAt("2026-03-02T07:30:00Z", { channels: ["family", "ANNA", "Ben"], availability });
    expect(await queued()).toEqual([
      { day: "2026-03-02", channel: "Ben", status: "unusable" },
      { day: "2026-03-02", channel: "anna@example.org", status: "waiting" },
    ]);
    const deliveries = await desk.db.query(async (sql) => [
      ...(await sql`
        select w.name, d.event_id as day
        from webhook_deliveries d
        join webhooks w on w.webhook_id = d.webhook_id
        where d.event_type = 'daily_summary'
        order by w.name
      `),
    ]);
    expect(deliveries).toEqual([
      { name: "Family", day: "2026-03-01" },
      { name: "Log", day: "2026-03-01" },
    ]);
    expect(family.event_types).toEqual(["event_created"]);
    const [row] = await desk.db.query(
      (sql) => sql<{ id: string }[]>`select n.notification_id as id from notifications n where n.recipient_id is not null`,
    );
    const held = async (time: string) =>
      await desk.db.query(async (sql) => {
        const notification = await findNotification(sql, row?.id ?? "");
        return notification && (await quiet(sql, notification, {} as Message, new Date(time)));
      });
    const until = new Date("2026-03-02T09:00:00Z");
    expect(await held("2026-03-02T07:31:00Z")).toEqual({ kind: "waits", until, reason: "held back until the hours of Anna begin" });
    expect(await held("2026-03-02T09:00:00Z")).toBeUndefined();
  });

  it("daily summary: lists what cameras saw, the alerts by status, and the night, as mail, API and command do", async () => {
    await desk.rule({ name: "All", cooldown_seconds: 0 });
    await daemonsAt("2026-03-01T12:00:00Z");
    await desk.event({ seen: { person: 0.9, car: 0.8 }, score: 70 });
    await desk.event({ seen: { person: 0.9 }, score: 20 });
    await desk.look();
    const [alert] = await desk.alerts();
    await desk.ask("acknowledgeAlert", { params: { id: alert?.id ?? "" } });
    desk.at("2026-03-02T03:00:00Z");
    await desk.event({ camera: "gate", score: 10 });
    await daemonsAt("2026-03-02T07:30:00Z");
    const summary = await desk.db.query((sql) => findSummary(sql, "2026-03-02"));
    expect(summary).toMatchObject({ day: { date: "2026-03-01", events: { total: 2, high: 1, low: 1 } }, rest: { events: 1 } });
    if (!summary) return;
    const message = {
      notificationId: "11111111-2222-4333-8444-555555555555",
      createdAt: desk.context.clock.now(),
      late: undefined,
      summary,
    };
    const { raw } = await composeMail(message, undefined, {
      ...{ from: "home@example.org", to: ["me@example.org"], timeZone: "UTC", now: desk.context.clock.now() },
      links: { publicUrl: "https://home.example.org", webEnabled: true },
    });
    const mail = parseMail(raw);
    expect(mail.headers["subject"]).toMatch(/^Sun 1 Mar: 2 events, [12] alerts?$/);
    expect(mail.text).toContain("Seen\nYard: 2 events");
    expect(mail.text).toContain("Since midnight\n1 event");
    expect(mail.text).toContain("1 acknowledged");
    expect(mail.html).toContain("https://home.example.org/day/2026-03-01");
    const asked = await desk.ask("getSummary", { query: "date=2026-03-01" });
    expect(asked.events).toEqual(summary.day.events);
    await expect(desk.ask("getSummary", { query: "date=2026-03-09" })).rejects.toThrow("in the future");
  });
});

describe("times of the daily summary", () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu"];
  const times = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
  const instants = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2028, 0) });

  it("daily summary: each instant is in a summary or its rest, and each local day has one time, also when clocks change", () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), times, instants, (zone, [hour, minute], instant) => {
        const at = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
        const due = lastDueSummary(at, zone, new Date(instant));
        const next = lastDueSummary(at, zone, nextSummaryAt(at, zone, due.dueAt));
        expect(due.dueAt.getTime()).toBeLessThanOrEqual(instant);
        expect(next.dueAt.getTime()).toBeGreaterThan(instant);
        expect(Date.parse(next.sentOn) - Date.parse(due.sentOn)).toBe(dayMs);
        const isCovered = [due, next].some(({ day, rest }) => [day, rest].some(({ start, end }) => start <= due.dueAt && due.dueAt < end));
        expect(isCovered).toBe(true);
        expect([next.rest.start, next.day.start]).toContainEqual(due.day.end <= due.rest.start ? due.day.end : due.dueAt);
      }),
    );
  });
});
