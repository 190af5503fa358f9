import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desk, openDesk } from "../support/operations.ts";
import { fillWithEvents } from "./many-events.ts";
import { report } from "./report.ts";
import { percentile } from "./statistics.ts";

const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000);
const rounds = 5;
const questions = 40;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.at(new Date());
  await fillWithEvents(desk.db, events);
  // Three rules that evaluated everything; every tenth event raised an alert with a mail and a delivery.
  await desk.db.transaction(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into batches (batch_id, camera_id, status, started_at, last_detection_at, due_at, detection_count, opened_at, joined_at, closed_at, close_reason)
      select e.batch_id::uuid, e.camera_id, 'closed', e.started_at, e.ended_at, e.ended_at, e.detection_count, e.started_at, e.ended_at, e.ended_at, 'idle'
      from events e
    `;
    await sql`
      insert into rules (name, severity, dedup_key_template, cooldown_seconds)
      select 'Rule ' || n, 'high', '{camera_id}', 300 from generate_series(1, 3) as n
    `;
    await sql`
      insert into alerts (alert_id, event_id, rule_id, rule_name, camera_id, severity, status, dedup_key, alert_metadata, created_at, delivered_at, updated_at)
      select gen_random_uuid(), e.event_id, r.rule_id, r.name, e.camera_id, 'high', 'delivered', e.camera_id,
        '{"rule_name": "Rule 1", "matched_conditions": [], "channels": [], "reason": null}', e.created_at, e.created_at, e.created_at
      from events e
      join rules r on r.name = 'Rule 1'
      where e.event_id % 10 = 0
    `;
    await sql`
      insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, alert_id, suppressed_by, evaluated_at)
      select e.event_id, r.rule_id, r.name, 1,
        case when r.name <> 'Rule 1' then 'not_matched' when a.event_id = e.event_id then 'raised' else 'suppressed' end,
        '{}', '{"object_type [person] not in [car]"}',
        case when r.name = 'Rule 1' and a.event_id = e.event_id then a.alert_id end,
        case when r.name = 'Rule 1' and a.event_id <> e.event_id then a.alert_id end,
        e.created_at
      from events e
      cross join rules r
      left join alerts a on a.event_id = e.event_id - e.event_id % 10
    `;
    await sql`
      insert into notifications (notification_id, alert_id, kind, channel, status, attempt_count, expires_at, created_at, finished_at)
      select a.alert_id, a.alert_id, 'alert', 'email', 'sent', 1, a.created_at, a.created_at, a.created_at from alerts a
    `;
    await sql`
      insert into notification_attempts (notification_id, attempt, started_at, finished_at, outcome, answer)
      select a.alert_id, 1, a.created_at, a.created_at, 'sent', '250 ok' from alerts a
    `;
    await sql`
      insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
      values (gen_random_uuid(), 'hook', 'http://127.0.0.1:1/', '{alert_fired}', 'generic', '\\x00', 4, 10, now(), now())
    `;
    await sql`
      insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, data, emitted_at, status, attempt_count, created_at, delivered_at, message_id)
      select a.alert_id, w.webhook_id, 'alert_fired', a.alert_id::text, '{}', a.created_at, 'success', 1, a.created_at, a.created_at, a.alert_id
      from alerts a
      cross join webhooks w
    `;
  });
  const tables = ["batches", "rules", "alerts", "rule_verdicts", "notifications", "notification_attempts", "webhook_deliveries"];
  for (const table of tables) await desk.db.query((sql) => sql`vacuum analyze ${sql(table)}`);
});
afterAll(() => desk?.close());

test("explain: is fast with many events", async ({ task }) => {
  /** The 99th percentile in ms of each round. */
  const measure = async (ask: (eventId: number) => Promise<{ readonly steps: readonly unknown[] }>) => {
    const figures: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const took: number[] = [];
      for (let n = 0; n < questions; n += 1) {
        const eventId = 1 + Math.floor(Math.random() * (events / 10 - 1)) * 10 + (n % 10);
        const begun = performance.now();
        const { steps } = await ask(eventId);
        took.push(performance.now() - begun);
        expect(steps.length).toBeGreaterThan(2);
      }
      // The first round is a warm-up.
      if (round >= 0) figures.push(percentile(took, 99));
    }
    return figures;
  };
  const what = `at ${events.toLocaleString("en")} events with ${(3 * events).toLocaleString("en")} verdicts, p99`;
  report(task, {
    what: `explanation of an event ${what}`,
    unit: "ms",
    homesec: await measure((eventId) => desk.ask("explainEvent", { params: { event_id: String(eventId) } })),
    compare: "absolute",
    limit: { atMost: 200 },
  });
  report(task, {
    what: `explanation of an alert ${what}`,
    unit: "ms",
    homesec: await measure(async (eventId) => {
      const event_id = eventId + 10 - (eventId % 10);
      const { items } = await desk.ask("listAlerts", { query: `event_id=${event_id}` });
      return await desk.ask("explainAlert", { params: { alert_id: items[0]?.id ?? "" } });
    }),
    compare: "absolute",
    limit: { atMost: 200 },
  });
  report(task, {
    what: `explanation of a minute of a camera ${what}`,
    unit: "ms",
    homesec: await measure(async (eventId) => {
      const { camera_id, started_at } = await desk.ask("getEvent", { params: { event_id: String(eventId) } });
      return await desk.ask("explainMoment", { params: { camera_id }, query: `at=${started_at}` });
    }),
    compare: "absolute",
    limit: { atMost: 200 },
  });
});
