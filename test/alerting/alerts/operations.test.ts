import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { settleAlert } from "../../../src/alerting/alerts/settle.ts";
import { type AlertDesk, openAlertDesk, withMail } from "./alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk({ ...withMail, DEFAULT_WEBHOOK_URL: "http://127.0.0.1:9/" });
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

const only = async () => {
  const [alert] = await desk.alerts();
  if (!alert) throw new Error("no alert was raised");
  return alert;
};
const raise = async (rule: Parameters<AlertDesk["rule"]>[0] = {}) => {
  await desk.rule({ cooldown_seconds: 0, ...rule });
  await desk.event();
  await desk.look();
  return await only();
};
const named = (id: string) => ({ params: { id } });
/** A channel finishes, as its sender stores it. */
const finish = (channel: string, status: "sent" | "failed", reason: string | null = null) =>
  desk.db.transaction(async (sql) => {
    const [row] = await sql<[{ id: string }]>`
      update notifications n
      set status = ${status}, reason = ${reason}, attempt_count = 1
      where n.channel = ${channel}
      returning n.alert_id as id
    `;
    await settleAlert(sql, row.id, desk.context.clock.now());
  });

describe("alert", () => {
  it("alert: is delivered once one channel has sent it, and keeps the results of the others", async () => {
    await raise({ channels: ["email", "webhook"] });
    await finish("email", "failed", "550 no such user");
    expect(await only()).toMatchObject({
      status: "pending",
      alert_metadata: { reason: null, channels: [{ status: "failed" }, { status: "waiting" }] },
    });
    desk.at("2026-03-01T12:00:05Z");
    await finish("webhook", "sent");
    const alert = await only();
    expect(alert).toMatchObject({
      status: "delivered",
      delivered_at: "2026-03-01T12:00:05.000Z",
      alert_metadata: { matched_conditions: [], reason: null },
    });
    expect(alert.alert_metadata.channels.map(({ status }) => status)).toEqual(["failed", "sent"]);
    expect(await desk.journal("alert_delivered")).toEqual([alert]);
  });

  it("alert: stays pending and says why if all channels failed", async () => {
    await raise({ channels: ["email"] });
    await finish("email", "failed", "550 no such user");
    expect(await only()).toMatchObject({ status: "pending", alert_metadata: { reason: "email: 550 no such user" } });
    expect(await desk.journal("alert_delivered")).toEqual([]);
  });

  it("alert: an acknowledged alert stays acknowledged when a channel finishes later", async () => {
    const { id } = await raise({ channels: ["email"] });
    await desk.ask("dismissAlert", named(id));
    await finish("email", "sent");
    expect(await only()).toMatchObject({ status: "dismissed", delivered_at: null, alert_metadata: { channels: [{ status: "sent" }] } });
  });

  it.each([
    ["acknowledgeAlert", "acknowledged", "acknowledged_at"],
    ["dismissAlert", "dismissed", "dismissed_at"],
  ] as const)("alert: %s closes it once, from delivered and from pending, and announces that", async (operation, status, time) => {
    for (const channels of [null, ["email" as const]]) {
      await desk.empty();
      const { id } = await raise({ channels });
      desk.at("2026-03-01T12:30:00Z");
      const ended = await desk.ask(operation, named(id));
      expect(ended).toMatchObject({ id, status, [time]: "2026-03-01T12:30:00.000Z" });
      expect(await desk.ask("getAlert", named(id))).toEqual(ended);
      expect(await desk.journal(`alert_${status}`)).toEqual([ended]);
      for (const again of ["acknowledgeAlert", "dismissAlert"] as const) {
        await expect(desk.ask(again, named(id))).rejects.toMatchObject({
          kind: "conflict",
          message: `Alert ${id} is ${status} already; that is final`,
        });
      }
      expect(await desk.journal(`alert_${status}`)).toHaveLength(1);
    }
    const [alert] = await desk.alerts();
    expect(alert?.alert_metadata).toMatchObject({ reason: null, channels: [{ channel: "email", status: "cancelled" }] });
    expect(await desk.db.query(async (sql) => (await sql`select j.job_id from jobs j where j.queue = 'deliver'`).count)).toBe(0);
  });

  it("alert: only one of many concurrent requests closes it", async () => {
    const { id } = await raise({ channels: ["email"] });
    const asked = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => desk.ask(n % 2 === 0 ? "acknowledgeAlert" : "dismissAlert", named(id))),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of asked) if (result.status === "rejected") expect(result.reason).toMatchObject({ kind: "conflict" });
    expect([...(await desk.journal("alert_acknowledged")), ...(await desk.journal("alert_dismissed"))]).toHaveLength(1);
  });

  it("alert: its id is not case-sensitive", async () => {
    const { id } = await raise({ channels: ["email"] });
    const ended = await desk.ask("dismissAlert", named(id.toUpperCase()));
    expect(ended).toMatchObject({ id, alert_metadata: { channels: [{ channel: "email", status: "cancelled" }] } });
    expect(await desk.ask("getAlert", named(id.toUpperCase()))).toEqual(ended);
  });

  it("alert: an unknown id of any form is not found", async () => {
    for (const id of ["4b0ac8e2-9d7c-4f6e-8a55-0d3c1f8a2b11", "7", "no-such-alert", "ä"]) {
      for (const operation of ["getAlert", "acknowledgeAlert", "dismissAlert"] as const) {
        await expect(desk.ask(operation, named(id))).rejects.toMatchObject({ kind: "not_found", message: `Alert ${id} does not exist` });
      }
    }
  });

  it("alert: stays when its event is soft-deleted", async () => {
    const { event_id } = await raise();
    await desk.ask("deleteEvent", { params: { event_id: String(event_id) } });
    expect(await desk.alerts()).toHaveLength(1);
  });
});

describe("listing alerts", () => {
  it("listing alerts: each filter narrows the list, and counts are exact", async () => {
    const people = await desk.rule({ name: "people", severity: "critical", cooldown_seconds: 0 });
    await desk.rule({ name: "waits", severity: "low", cooldown_seconds: 0, channels: ["email"], camera_ids: ["gate"] });
    for (const [camera, day] of [
      ["yard", 1],
      ["gate", 2],
      ["yard", 3],
    ] as const) {
      desk.at(`2026-03-0${day}T12:00:00.250Z`);
      await desk.event({ camera });
    }
    await desk.look();
    await desk.db.query((sql) => sql`update alerts a set created_at = e.created_at from events e where e.event_id = a.event_id`);
    const found = async (query: string) => {
      const { items, pagination } = await desk.ask("listAlerts", { query });
      expect(pagination.total).toBe(items.length);
      return items.map(({ event_id, severity }) => `${event_id} ${severity}`).toSorted();
    };
    expect(await found("")).toEqual(["1 critical", "2 critical", "2 low", "3 critical"]);
    expect(await found("status=PENDING")).toEqual(["2 low"]);
    expect(await found("severity=Critical")).toEqual(["1 critical", "2 critical", "3 critical"]);
    expect(await found(`rule_id=${people.id}&camera_id=yard`)).toEqual(["1 critical", "3 critical"]);
    expect(await found("event_id=2")).toEqual(["2 critical", "2 low"]);
    expect(await found("start_date=2026-03-02&end_date=2026-03-02")).toEqual(["2 critical", "2 low"]);
    expect(await found("end_date=2026-03-01T12:00:00.250Z")).toEqual(["1 critical"]);
    expect(await found("camera_id=none")).toEqual([]);
    await expect(desk.ask("listAlerts", { query: "rule_id=7" })).rejects.toMatchObject({
      items: [{ loc: ["query", "rule_id"], type: "uuid_parsing" }],
    });
  });

  it("listing alerts: shows each alert once while others are raised, newest first", async () => {
    await desk.rule({ cooldown_seconds: 0 });
    for (let n = 0; n < 7; n += 1) await desk.event();
    await desk.look();
    const ids = (await desk.alerts()).map(({ id }) => id).toReversed();
    const walked: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { items, pagination }: Awaited<ReturnType<typeof page>> = await page(cursor);
      walked.push(...items.map(({ id }) => id));
      cursor = pagination.next_cursor;
      await desk.event();
      desk.at("2026-03-01T12:00:01Z");
      await desk.look();
    }
    expect(walked.filter((id) => ids.includes(id))).toEqual(ids);
  });

  const page = (cursor: string) => desk.ask("listAlerts", { query: `limit=3${cursor && `&cursor=${cursor}`}` });
});
