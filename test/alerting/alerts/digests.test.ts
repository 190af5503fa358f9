import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closeDueDigests } from "../../../src/alerting/alerts/digests.ts";
import { nextDigestAt } from "../../../src/alerting/alerts/digests-repository.ts";
import { findHeldBack } from "../../../src/alerting/notifications/facts-repository.ts";
import { type AlertDesk, openAlertDesk, withMail } from "./alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

const digest = { digest: true, channels: ["email" as const], cooldown_seconds: 300 };
const events = async (count: number, fields: Parameters<AlertDesk["event"]>[0] = {}) => {
  for (let n = 0; n < count; n += 1) await desk.event(fields);
  await desk.look();
};
const close = () => closeDueDigests(desk.db, desk.delivery, desk.context.clock.now(), 10);
const sent = () =>
  desk.db.query(async (sql) => [
    ...(await sql<{ alert_id: string; channel: string; expires_at: Date }[]>`
      select n.alert_id, n.channel, n.expires_at from notifications n where n.kind = 'digest' order by n.created_at, n.channel
    `),
  ]);

describe("digest", () => {
  it("digest: is sent once when the cooldown ends, through the channels of the rule", async () => {
    await desk.rule(digest);
    await events(4);
    const [alert] = await desk.alerts();
    expect(await desk.db.query(nextDigestAt)).toEqual(new Date("2026-03-01T12:05:00Z"));
    desk.at("2026-03-01T12:04:59.999Z");
    expect(await close()).toBe(0);
    desk.at("2026-03-01T12:05:00Z");
    const closers = await Promise.all([close(), close(), close()]);
    expect(closers.reduce((sum, count) => sum + count)).toBe(1);
    expect(await sent()).toEqual([{ alert_id: alert?.id, channel: "email", expires_at: new Date("2026-03-02T12:05:00Z") }]);
    expect(await desk.db.query(nextDigestAt)).toBeUndefined();
    expect((await desk.verdicts()).filter(({ suppressed_by }) => suppressed_by === alert?.id)).toHaveLength(3);
  });

  it("digest: is not sent if nothing was suppressed, the rule does not ask for it, or the rule has no channels", async () => {
    await desk.rule({ ...digest, camera_ids: ["yard"] });
    await events(1);
    await desk.rule({ digest: true, camera_ids: ["gate"] });
    await desk.rule({ channels: ["email"], camera_ids: ["gate"] });
    await events(3, { camera: "gate" });
    expect(await desk.db.query(nextDigestAt)).toBeUndefined();
  });

  it("digest: is not sent if the suppressed event has raised an alert since", async () => {
    await desk.rule({ ...digest, escalate: true });
    await events(2);
    await desk.score(2, 90);
    await desk.look();
    desk.at("2026-03-01T13:00:00Z");
    expect(await close()).toBe(0);
    expect(await sent()).toEqual([]);
    expect(await desk.db.query(nextDigestAt)).toBeUndefined();
  });

  it("digest: leaves out events that were deleted meanwhile", async () => {
    await desk.rule(digest);
    await events(2);
    await desk.ask("deleteEvents", { body: { event_ids: [2] } });
    desk.at("2026-03-01T13:00:00Z");
    expect(await close()).toBe(0);
    expect(await sent()).toEqual([]);
  });

  it("digest: is sent even if the alert is acknowledged", async () => {
    await desk.rule(digest);
    await events(2);
    const [alert] = await desk.alerts();
    await desk.ask("acknowledgeAlert", { params: { id: alert?.id ?? "" } });
    desk.at("2026-03-01T13:00:00Z");
    expect(await close()).toBe(1);
  });

  it("digest: uses the channels of every rule whose events it covers", async () => {
    await desk.rule({ severity: "critical", dedup_key_template: "{camera_id}" });
    await desk.rule({ ...digest, dedup_key_template: "{camera_id}" });
    await desk.rule({ ...digest, channels: ["push", "email"], dedup_key_template: "{camera_id}" });
    await events(2);
    desk.at("2026-03-01T13:00:00Z");
    expect(await close()).toBe(1);
    expect((await sent()).map(({ channel }) => channel)).toEqual(["email", "push"]);
  });

  it("digest: does not list the alerted event as suppressed if another rule under the same key matched it too", async () => {
    await desk.rule({ severity: "critical", dedup_key_template: "{camera_id}", channels: ["email"] });
    await desk.rule({ ...digest, dedup_key_template: "{camera_id}" });
    await events(1);
    expect((await desk.verdicts()).map(({ outcome }) => outcome).toSorted()).toEqual(["raised", "suppressed"]);
    desk.at("2026-03-01T13:00:00Z");
    expect(await close()).toBe(0);
    expect(await sent()).toEqual([]);

    await events(2);
    const [, alert] = await desk.alerts();
    desk.at("2026-03-01T14:00:00Z");
    expect(await close()).toBe(1);
    const listed = await desk.db.query((sql) => findHeldBack(sql, { alertId: alert?.id ?? "", channel: "email", channelId: null }, 10));
    expect(listed.events.map(({ eventId }) => eventId)).toEqual([3]);
  });

  it("digest: includes the alerted event for a channel that the alert did not use", async () => {
    await desk.rule({ severity: "critical", dedup_key_template: "{camera_id}", channels: ["push"] });
    await desk.rule({ ...digest, dedup_key_template: "{camera_id}" });
    await events(1);
    desk.at("2026-03-01T13:00:00Z");
    expect(await close()).toBe(1);
    expect((await sent()).map(({ channel }) => channel)).toEqual(["email"]);
  });

  it("digest: an event suppressed at the very end is either in the digest or raises an alert", async () => {
    await desk.rule(digest);
    for (let round = 0; round < 10; round += 1) {
      desk.at(`2026-03-0${1 + Math.floor(round / 5)}T1${round % 5}:00:00Z`);
      await events(2);
      const at = desk.context.clock.now().getTime() + 300_000;
      // This evaluation started just before the end of the cooldown and finishes after it.
      await desk.event();
      desk.at(new Date(at - 1));
      const looking = desk.look();
      const closing = closeDueDigests(desk.db, desk.delivery, new Date(at), 10);
      await Promise.all([looking, closing]);
      await closeDueDigests(desk.db, desk.delivery, new Date(at), 10);
      const [untold] = await desk.db.query(
        (sql) => sql<[{ count: number }]>`
          select count(*) as count
          from rule_verdicts v
          join digests d on d.alert_id = v.suppressed_by
          where v.outcome = 'suppressed' and (d.closed_at is null or v.suppressed_until < v.evaluated_at)
        `,
      );
      expect(untold.count).toBe(0);
    }
    const rows = await desk.db.query(
      (sql) => sql<[{ digests: number; notifications: number }]>`
      select (select count(*) from digests) as digests, (select count(*) from notifications n where n.kind = 'digest') as notifications
    `,
    );
    expect(rows[0]?.digests).toBe(rows[0]?.notifications);
  });
});
