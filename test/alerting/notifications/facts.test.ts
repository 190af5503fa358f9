import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { headline, valuesFor } from "../../../src/alerting/email/content.ts";
import { findAlertFacts } from "../../../src/alerting/notifications/facts-repository.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../alerts/alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

it.each(["person", "Person"])(
  "notification facts: a rule about %s lists that object first, even at a lower confidence",
  async (objectType) => {
    await desk.ask("createRule", { body: { name: "At the door", severity: "high", object_types: [objectType], channels: ["email"] } });
    await desk.event({ seen: { car: 0.95, person: 0.6 } });
    await desk.look();
    const [alert] = await desk.alerts();
    const facts = await desk.db.query((sql) => findAlertFacts(sql, alert?.id ?? ""));
    expect(facts?.objectTypes).toEqual(["person", "car"]);
    const message = { notificationId: "1", createdAt: new Date(), late: undefined, joined: [], heldBack: undefined };
    expect(facts && headline({ ...message, alert: facts }, "UTC")).toBe("[High] Person at Yard, Sun 1 Mar 2026 12:00");
  },
);

it("notification facts: a mail lists the zones of the event", async () => {
  await desk.ask("setZone", {
    params: { camera_id: "yard", name: "driveway" },
    body: {
      points: [
        { x: 0, y: 0.5 },
        { x: 1, y: 0.5 },
        { x: 1, y: 1 },
        { x: 0, y: 1 },
      ],
    },
  });
  await desk.ask("createRule", { body: { name: "Any", channels: ["email"] } });
  await desk.event({ seen: { person: 0.6 } });
  await desk.db.query(
    async (sql) =>
      await sql`update detections set bbox_x = 10, bbox_y = 60, bbox_width = 20, bbox_height = 30, picture_width = 100, picture_height = 100`,
  );
  await desk.look();
  const [alert] = await desk.alerts();
  const facts = await desk.db.query((sql) => findAlertFacts(sql, alert?.id ?? ""));
  const message = { notificationId: "1", createdAt: new Date(), late: undefined, joined: [], heldBack: undefined };
  const place = { timeZone: "UTC", links: { publicUrl: undefined, webEnabled: true } };
  expect(facts && valuesFor({ ...message, alert: facts }, place).rows).toContainEqual({ name: "Zones", value: "driveway" });
  await desk.db.query(async (sql) => await sql`delete from camera_zones`);
});

it("notifications: rules that match one event share one mail, also when one of them waited for the score", async () => {
  const rule = (name: string, body: object) => desk.ask("createRule", { body: { name, channels: ["email"], ...body } });
  await rule("Night", {});
  await rule("Person", { object_types: ["person"] });
  await rule("Grave", { risk_threshold: 70, severity: "critical" });
  const eventId = await desk.event({ seen: { person: 0.9 } });
  await desk.look();
  await desk.score(eventId, 90);
  await desk.look();
  const [messages, alerts] = await desk.db.query((sql) =>
    Promise.all([
      sql<{ rules: string[] }[]>`
        select array_agg(a.rule_name order by a.rule_name) as rules
        from notifications n
        join alerts a on a.alert_id = n.alert_id
        where n.status = 'waiting'
        group by coalesce(n.joined_to, n.notification_id)
      `,
      sql<{ jobs: number }[]>`select count(*) as jobs from jobs j where j.queue = 'deliver'`,
    ]),
  );
  expect(messages).toEqual([{ rules: ["Grave", "Night", "Person"] }]);
  expect(alerts).toEqual([{ jobs: 1 }]);
});

it("notifications: two events make two mails", async () => {
  await desk.ask("createRule", { body: { name: "Each", channels: ["email"], cooldown_seconds: 0 } });
  for (const camera of ["yard", "gate"]) await desk.event({ camera });
  await desk.look();
  const [row] = await desk.db.query((sql) => sql<[{ jobs: number }]>`select count(*) as jobs from jobs j where j.queue = 'deliver'`);
  expect(row.jobs).toBe(2);
});
