import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { followUp } from "../../../src/alerting/alerts/follow-ups.ts";
import { nextFollowUpAt } from "../../../src/alerting/recipients/decisions-repository.ts";
import { minuteMs } from "../../../src/base/clock/clock.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../alerts/alert-desk.ts";

let desk: AlertDesk;
const ids: Record<string, string> = {};
const night = [{ start_time: "07:00", end_time: "22:00", timezone: "UTC" }];

beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.empty();
  await desk.db.query((sql) => sql`delete from recipients`);
  await desk.db.query((sql) => sql`delete from channels`);
  for (const [name, kind, settings] of [
    ["Anna's phone", "ntfy", { server: "http://127.0.0.1:9", topic: "anna" }],
    ["Ben's phone", "pushover", { server: "http://127.0.0.1:9", token: "a".repeat(30), user: "u".repeat(30) }],
  ] as const) {
    await desk.ask("createChannel", { body: { name, kind, settings } });
  }
});

const add = async (name: string, body: object = {}): Promise<void> => {
  const channels = [`${name.toLowerCase()}@example.org`];
  ids[name] = (await desk.ask("createRecipient", { body: { name, channels, ...body } })).id;
};
const change = (name: string, body: object) => desk.ask("updateRecipient", { params: { id: ids[name] ?? "" }, body });
/** Two daemons do what is due. */
const due = async (time?: string): Promise<void> => {
  if (time !== undefined) desk.at(time);
  await Promise.all([1, 2].map(() => followUp(desk.db, desk.delivery, desk.context.clock.now(), 100)));
};
const messages = async (): Promise<readonly string[]> => {
  const rows = await desk.db.query(
    (sql) => sql<{ kind: string; round: number; channel: string; status: string }[]>`
      select n.kind, n.round, n.channel, n.status
      from notifications n
      where n.joined_to is null
      order by n.created_at, n.kind, n.channel
    `,
  );
  return rows.map(({ kind, round, channel, status }) => `${kind}${round || ""} ${channel}${status === "waiting" ? "" : ` ${status}`}`);
};
const alertTo = async (channels: string[], severity: "low" | "high" | "critical" = "critical"): Promise<string> => {
  await desk.db.query((sql) => sql`delete from rules`);
  await desk.rule({ name: `Rule ${severity}`, severity, channels, cooldown_seconds: 0 });
  const event = await desk.event();
  await desk.look();
  return (await desk.alerts()).find(({ event_id }) => event_id === event)?.id ?? "";
};
const explained = async (id: string): Promise<string> => {
  const { steps } = await desk.ask("explainAlert", { params: { alert_id: id } });
  return steps.flatMap(({ step, text }) => (step === "recipient" ? text : [])).join("\n");
};

describe("recipients", () => {
  it("recipients: a rule names one or all; each gets a message once per channel, and a mail address is a channel", async () => {
    await add("Anna", { channels: ["anna@example.org", "anna's PHONE"] });
    await add("Ben", { channels: ["Anna's phone"] });
    expect((await desk.ask("getRecipient", { params: { id: ids["Anna"] ?? "" } })).channels).toEqual(["anna@example.org", "Anna's phone"]);
    await alertTo(["ben"], "low");
    expect(await messages()).toEqual(["alert Anna's phone"]);
    await alertTo(["all", "email"], "low");
    expect(await messages()).toEqual(["alert Anna's phone", "alert Anna's phone", "alert anna@example.org", "alert email"]);
  });

  it("recipients: wrong names, channels and escalations are refused with what to do", async () => {
    await add("Anna");
    await expect(add("Ben", { channels: ["nobody"] })).rejects.toThrow(
      "channels: nobody is neither a mail address nor a channel to phones; those are Anna's phone, Ben's phone",
    );
    await expect(add("anna")).rejects.toThrow("There is a recipient anna already");
    await expect(add("All")).rejects.toThrow("not be email, webhook, push or all");
    await expect(add("ben's phone")).rejects.toThrow("There is a channel Ben's phone");
    await expect(add("Ben", { escalate_to: "Carl" })).rejects.toThrow("There is no recipient Carl; the others are Anna");
    await expect(change("Anna", { escalate_to: "anna" })).rejects.toThrow("cannot escalate to itself");
    await desk.ask("createRule", { body: { name: "Night", channels: ["anna"] } });
    await expect(change("Anna", { name: "Ann" })).rejects.toThrow("These rules name the recipient Anna: Night");
    await expect(desk.ask("deleteRecipient", { params: { id: ids["Anna"] ?? "" } })).rejects.toThrow("before you remove it");
    await expect(desk.ask("createRule", { body: { name: "Day", channels: ["Ana"] } })).rejects.toThrow("did you mean Anna?");
    await change("Anna", { channels: ["Anna's phone"] });
    const [phone] = (await desk.ask("listChannels")).channels;
    await expect(desk.ask("deleteChannel", { params: { id: phone?.id ?? "" } })).rejects.toThrow(
      "These recipients have the channel Anna's phone: Anna",
    );
  });

  it("quiet hours: alerts wait for the hours and come as one message, without those that were acknowledged", async () => {
    await add("Anna", { hours: night });
    desk.at("2026-03-01T23:00:00Z");
    const first = await alertTo(["Anna"], "high");
    const second = await alertTo(["Anna"], "high");
    expect(await messages()).toEqual([]);
    expect(await desk.ask("getAlert", { params: { id: first } })).toMatchObject({
      status: "pending",
      alert_metadata: { reason: "Anna: outside the hours until 2026-03-02T07:00:00.000Z" },
    });
    expect(await explained(first)).toContain("did not notify Anna at once: Outside the hours until 2026-03-02T07:00:00.000Z.");
    const held = async () => (await desk.ask("getRecipient", { params: { id: ids["Anna"] ?? "" } })) as object;
    const begin = "2026-03-02T07:00:00.000Z";
    expect(await held()).toMatchObject({ held_alerts: 2, held_until: begin });
    await desk.ask("acknowledgeAlert", { params: { id: second } });
    expect(await held()).toMatchObject({ held_alerts: 1, held_until: begin });
    await due("2026-03-02T06:59:00Z");
    expect(await messages()).toEqual([]);
    await due("2026-03-02T07:00:00Z");
    await due("2026-03-02T07:05:00Z");
    expect(await held()).toMatchObject({ held_alerts: 0, held_until: null });
    expect(await messages()).toEqual(["catch_up anna@example.org"]);
    expect(await explained(first)).toContain("A message about what was held back was queued at 2026-03-02T07:00:00.000Z.");
    expect(await explained(second)).toContain("The alert was closed first, so no message followed.");
    expect(await desk.db.query(nextFollowUpAt)).toBeUndefined();
  });

  it("quiet hours: a message about held back alerts that fails for good names its recipient, rule and camera, or that there are several", async () => {
    await add("Anna", { hours: night });
    const failed = async () => {
      await due("2026-03-02T07:00:00Z");
      await desk.db.query((sql) => sql`update jobs j set status = 'dead' where j.queue = 'deliver'`);
      const { items } = await desk.ask("listDeadLetters", { params: { queue: "deliver" } });
      await desk.db.query((sql) => sql`delete from jobs`);
      return items.map(({ notification }) => notification);
    };
    desk.at("2026-03-01T23:00:00Z");
    await alertTo(["Anna"], "high");
    const about = { kind: "catch_up", recipient: "Anna", channel: "anna@example.org", camera_id: "yard" };
    expect(await failed()).toMatchObject([{ ...about, rule_name: "Rule high", alert_count: 1 }]);
    desk.at("2026-03-01T23:30:00Z");
    await alertTo(["Anna"], "high");
    await alertTo(["Anna"], "low");
    expect(await failed()).toMatchObject([{ ...about, rule_name: null, alert_count: 2 }]);
  });

  it("quiet hours: a critical alert breaks through unless the recipient says otherwise; a low one may be unwanted", async () => {
    await add("Anna", { hours: night });
    await add("Ben", { hours: night, critical_anytime: false });
    await add("Carl", { severity: "critical" });
    desk.at("2026-03-01T23:00:00Z");
    await alertTo(["all"]);
    expect(await messages()).toEqual(["alert anna@example.org", "alert carl@example.org"]);
    desk.at("2026-03-02T12:00:00Z");
    const low = await alertTo(["all"], "low");
    expect((await messages()).slice(2)).toEqual(["alert anna@example.org", "alert ben@example.org"]);
    expect(await explained(low)).toContain("did not notify Carl: Severity low is below critical.");
  });

  it("repeats: a critical alert repeats until one person acknowledges it, then for no one, and a bounded number of times", async () => {
    await add("Anna", { channels: ["Anna's phone"], repeat_minutes: 5, repeat_times: 2 });
    await add("Ben", { channels: ["Anna's phone", "Ben's phone"], repeat_minutes: 5, repeat_times: 9 });
    const id = await alertTo(["all"]);
    expect(await messages()).toEqual(["alert Anna's phone", "alert Ben's phone"]);
    await due("2026-03-01T12:04:59Z");
    expect(await messages()).toHaveLength(2);
    await due("2026-03-01T12:05:00Z");
    // Pushover repeats on its own, and a phone of two people rings once
    await due("2026-03-01T12:05:01Z");
    expect((await messages()).slice(2)).toEqual(["repeat1 Anna's phone"]);
    await due("2026-03-01T12:10:01Z");
    await desk.ask("acknowledgeAlert", { params: { id } });
    expect((await messages()).slice(2)).toEqual(["repeat1 Anna's phone cancelled", "repeat2 Anna's phone cancelled"]);
    await due("2026-03-01T13:00:00Z");
    expect(await messages()).toHaveLength(4);
    expect(await explained(id)).toContain("homesec notified Ben. It repeated the alert 2 times.");
    expect(await desk.db.query(nextFollowUpAt)).toBeUndefined();
  });

  it("repeats: after downtime there is one, and the others keep their distance; high alerts do not repeat", async () => {
    await add("Anna", { repeat_minutes: 5, repeat_times: 2 });
    await alertTo(["Anna"]);
    await due("2026-03-01T14:02:00Z");
    await due("2026-03-01T14:06:00Z");
    expect(await messages()).toEqual(["alert anna@example.org", "repeat1 anna@example.org"]);
    await due("2026-03-01T14:07:00Z");
    await due("2026-03-01T15:00:00Z");
    expect((await messages()).slice(2)).toEqual(["repeat2 anna@example.org"]);
    await alertTo(["Anna"], "high");
    await due("2026-03-01T16:00:00Z");
    expect((await messages()).slice(3)).toEqual(["alert anna@example.org"]);
  });

  it("escalation: the next recipient follows when no one acknowledged in time, in the own hours, and only once", async () => {
    await add("Ben", { channels: ["Ben's phone"] });
    await add("Anna", { hours: night, critical_anytime: false, escalate_to: "ben", escalate_minutes: 10 });
    await change("Ben", { escalate_to: "Anna" });
    const id = await alertTo(["Anna"], "high");
    expect(await explained(id)).toContain("If no one acknowledges it by 2026-03-01T12:10:00.000Z, homesec notifies Ben.");
    await due("2026-03-01T12:09:59Z");
    expect(await messages()).toEqual(["alert anna@example.org"]);
    await due("2026-03-01T12:10:00Z");
    await due("2026-03-01T12:30:00Z");
    await due("2026-03-01T12:50:00Z");
    expect(await messages()).toEqual(["alert anna@example.org", "alert Ben's phone"]);
    expect(await explained(id)).toContain("homesec notified Ben because Anna had not acknowledged the alert.");
    const other = await alertTo(["Anna"], "high");
    await desk.ask("acknowledgeAlert", { params: { id: other } });
    await due(new Date(desk.context.clock.now().getTime() + 60 * minuteMs).toISOString());
    expect((await messages()).slice(2)).toEqual(["alert anna@example.org cancelled"]);
  });
});
