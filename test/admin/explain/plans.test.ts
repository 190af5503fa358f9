import { afterAll, beforeAll, expect, test } from "vitest";
import { lostNotifications } from "../../../src/admin/doctor/doctor-repository.ts";
import { alertsOfEvent, notificationAttemptsOf, notificationsOf, verdictsOf } from "../../../src/admin/explain/alerts-repository.ts";
import { deliveriesAbout } from "../../../src/admin/explain/deliveries-repository.ts";
import { analysisAttempts, eventsBetween } from "../../../src/admin/explain/events-repository.ts";
import { jobsOf } from "../../../src/admin/explain/jobs-repository.ts";
import { detectionsOfImages, picturesOfEvent } from "../../../src/admin/explain/pictures-repository.ts";
import { findEvents } from "../../../src/monitoring/events/events-repository.ts";
import { findImages, imagesBetween, listImages, nearestImage, newestVersion } from "../../../src/monitoring/images/ledger-repository.ts";
import type { Sql } from "../../../src/platform/database/database.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { fillHistory } from "../../support/recorded.ts";

let database: TestDatabase;
const at = new Date("2026-02-25T00:00:00Z");
const later = new Date("2026-02-25T00:10:00Z");
const lastDay = new Date("2026-02-28T12:00:00Z");
const alertId = "00000000-0000-4000-8000-000000000010";

beforeAll(async () => {
  database = await testDatabase();
  await fillHistory(database.db, { cameras: 4, events: 8_000, detectionsPerEvent: 1 });
  await database.db.transaction(async (sql) => {
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
      select e.camera_id, '/cameras/' || e.event_id || '.jpg', 1, e.event_id, 'watch', e.started_at, e.started_at, 'processed'
      from events e
      order by e.event_id
    `;
    await sql`
      insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome)
      select e.event_id, 1, e.created_at, e.created_at, 'completed' from events e
    `;
    await sql`
      insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, created_at, updated_at)
      select ('00000000-0000-4000-8000-' || lpad(to_hex(e.event_id), 12, '0'))::uuid, e.event_id, 'r', e.camera_id, 'high', 'k', e.created_at, e.created_at
      from events e
    `;
    await sql`
      insert into camera_incidents (camera_id, cause, event_id, reason, began_at, opened_at, ended_at)
      select e.camera_id, 'silent', e.event_id, 'r', e.created_at, e.created_at, e.created_at from events e
    `;
    await sql`
      insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, suppressed_by, evaluated_at)
      select a.event_id, a.alert_id, 'r', 1, 'suppressed', '{}', '{}', a.alert_id, a.created_at from alerts a
    `;
    await sql`
      insert into notifications (notification_id, alert_id, kind, channel, status, expires_at, created_at)
      select a.alert_id, a.alert_id, 'alert', 'email', 'sent', a.created_at, a.created_at from alerts a
    `;
    await sql`
      insert into notification_attempts (notification_id, attempt, started_at, finished_at, outcome)
      select n.notification_id, 1, n.created_at, n.created_at, 'sent' from notifications n
    `;
    await sql`
      insert into message_edits (notification_id, created_at) select n.notification_id, n.created_at from notifications n
    `;
    await sql`
      insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
      values (${alertId}, 'w', 'http://127.0.0.1:1/', '{alert_fired}', 'generic', '\\x00', 4, 10, now(), now())
    `;
    await sql`
      insert into webhook_deliveries (webhook_id, event_type, event_id, data, emitted_at, created_at, message_id)
      select ${alertId}::uuid, 'event_created', e.event_id::text, '{}', now(), now(), gen_random_uuid() from events e
    `;
    await sql`insert into jobs (queue, subject, position, available_at) select 'analyze', e.event_id::text, now(), now() from events e`;
  });
  await database.db.query((sql) => sql`vacuum analyze`);
});
afterAll(() => database.close());

const questions: Record<string, (sql: Sql) => Promise<unknown>> = {
  "an event": (sql) => findEvents(sql, [100]),
  "its pictures": (sql) => picturesOfEvent(sql, 100, 10),
  "its attempts": (sql) => analysisAttempts(sql, 100, 50),
  "its job": (sql) => jobsOf(sql, "analyze", ["100"]),
  "its verdicts": (sql) => verdictsOf(sql, 100),
  "its alerts, with what they held back": (sql) => alertsOfEvent(sql, 100),
  "its notifications": (sql) => notificationsOf(sql, [alertId]),
  "the attempts at them": (sql) => notificationAttemptsOf(sql, [alertId], 200),
  "the notifications of a day that reached nobody": (sql) => lostNotifications(sql, lastDay),
  "its deliveries": (sql) => deliveriesAbout(sql, ["100", alertId], 200),
  pictures: (sql) => findImages(sql, [100, 101]),
  "their detections": (sql) => detectionsOfImages(sql, [100], 1_000),
  "a picture by its path": (sql) => newestVersion(sql, ["/cameras/100.jpg", "/cameras/none.jpg"]),
  "pictures around a time": (sql) => imagesBetween(sql, "cam1", at, later, 50),
  "the nearest picture before": (sql) => nearestImage(sql, "cam1", "before", at),
  "the nearest picture after": (sql) => nearestImage(sql, "cam1", "after", at),
  "events around a time": (sql) => eventsBetween(sql, "cam1", at, later, 20),
  "a page of the ledger": (sql) => listImages(sql, { filter: {}, after: undefined, offset: 0, limit: 51 }),
  "a page of a camera and a range": (sql) =>
    listImages(sql, { filter: { cameraIds: ["cam1"], from: at }, after: undefined, offset: 0, limit: 51 }),
};

/** Tables that may be scanned completely: they have one row, or a few, per camera or webhook. */
const small = new Set(["rules", "cameras", "camera_zones", "webhooks"]);

test.each(Object.entries(questions))("%s: reads no table completely", async (_, ask) => {
  const whole = await database.db.query(async (sql) => {
    const plans: string[] = [];
    // A statement is explained instead of run; fragments stay unchanged
    const tag = async (...args: Parameters<Sql>) => {
      const statement = (sql as unknown as (...args: unknown[]) => never)(...args);
      const rows = await sql<{ "QUERY PLAN": string }[]>`explain ${statement}`;
      plans.push(...rows.map((row) => row["QUERY PLAN"]));
      return [];
    };
    const either = (...args: Parameters<Sql>) =>
      /^\s*(select|with|--)/.test(String(args[0])) ? tag(...args) : (sql as unknown as (...args: unknown[]) => unknown)(...args);
    await ask(either as unknown as Sql);
    expect(plans.length).toBeGreaterThan(0);
    return plans.flatMap((line) => /Seq Scan on (\w+)/.exec(line)?.[1] ?? []).filter((table) => !small.has(table));
  });
  expect(whole).toEqual([]);
});
