import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { closeDueDigests } from "../../../src/alerting/alerts/digests.ts";
import { endIncidents, openIncident } from "../../../src/monitoring/incidents/incidents.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../../alerting/alerts/alert-desk.ts";

/** Old data with unsent messages. */

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk({ ...withMail, RETENTION_DAYS: "2", ALERT_EXPIRY_HOURS: "96" });
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

const now = () => desk.context.clock.now();
const cleanUp = async (at: string) => {
  desk.at(at);
  const dry = await desk.ask("cleanUp", { query: "dry_run=true" });
  const done = await desk.ask("cleanUp", { query: "dry_run=false" });
  expect(dry.events_deleted).toBe(done.events_deleted);
  return done.events_deleted;
};
const kinds = async () =>
  await desk.db.query(async (sql) =>
    [...(await sql<{ kind: string }[]>`select kind from notifications order by created_at`)].map(({ kind }) => kind),
  );
const sent = () => desk.db.query((sql) => sql`update notifications set status = 'sent', finished_at = now()`);
const eventAt = async (at: string) => {
  desk.at(at);
  await desk.event();
  await desk.look();
};

it("retention: an alert that waits for the mail server is not deleted unsent", async () => {
  await desk.rule({ channels: ["email"] });
  await eventAt("2026-03-01T12:00:00Z");
  expect(await cleanUp("2026-03-04T03:00:00Z")).toBe(0);
  expect(await kinds()).toEqual(["alert"]);
  await sent();
  expect(await cleanUp("2026-03-04T04:00:00Z")).toBe(1);
});

it("retention: the end of an incident is sent, however long the incident lasted", async () => {
  await desk.rule({ kind: "camera_health", channels: ["email"] });
  desk.at("2026-03-01T12:00:00Z");
  const began = { cameraId: "yard", cause: "silent", reason: "No picture", beganAt: now() } as const;
  await desk.db.transaction((sql) => openIncident(sql, began, now()));
  await desk.look();
  await sent();
  expect(await cleanUp("2026-04-01T12:30:00Z")).toBe(0);
  await desk.db.transaction((sql) => endIncidents(sql, "yard", ["silent"], now()));
  expect(await cleanUp("2026-04-01T12:35:00Z")).toBe(0);
  await desk.look();
  expect(await kinds()).toEqual(["alert", "end"]);
  await sent();
  expect(await cleanUp("2026-04-01T12:40:00Z")).toBe(1);
});

it("retention: an alert stays until its digest is closed, and a deleted alert suppresses nothing", async () => {
  await desk.rule({ channels: ["email"], cooldown_seconds: 7 * 86_400, digest: true });
  await eventAt("2026-03-01T12:00:00Z");
  await eventAt("2026-03-01T13:00:00Z");
  await sent();
  // Suppressed events are deleted by age.
  expect(await cleanUp("2026-03-05T12:00:00Z")).toBe(1);
  await eventAt("2026-03-07T12:00:00Z");
  expect((await desk.verdicts()).map(({ outcome }) => outcome)).toEqual(["raised", "suppressed"]);
  desk.at("2026-03-08T12:00:01Z");
  expect(await closeDueDigests(desk.db, desk.delivery, now(), 10)).toBe(1);

  await desk.empty();
  await desk.rule({ channels: ["email"], cooldown_seconds: 7 * 86_400 });
  await eventAt("2026-03-01T12:00:00Z");
  await sent();
  expect(await cleanUp("2026-03-05T12:00:00Z")).toBe(1);
  await eventAt("2026-03-05T13:00:00Z");
  expect((await desk.verdicts()).map(({ outcome }) => outcome)).toEqual(["raised"]);
});
