import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeDueDigests } from "../../../src/alerting/alerts/digests.ts";
import { channelAvailability } from "../../../src/alerting/channels/availability.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ RETENTION_DAYS: "30" });
});
afterAll(() => desk.close());

const cameras = ["a", "b", "c"];
const eventCount = 90;
const perEvent = 4;

/** Old events of three cameras with their detections; ids and times ascend in different orders. */
async function fill(): Promise<{ readonly events: number[]; readonly detections: number[] }> {
  return await desk.db.query(async (sql) => {
    await sql`truncate cameras, jobs cascade`;
    await sql`insert into cameras (camera_id, name, folder_path) select c, c, '/' || c from unnest(${cameras}::text[]) c`;
    const events = await sql<{ id: number }[]>`
      insert into events (camera_id, started_at, ended_at)
      select (${cameras}::text[])[1 + n % 3], timestamptz '2026-01-01Z' - n * 37 % 90 * interval '1 minute', '2026-01-02Z'
      from generate_series(1, ${eventCount}::integer) n
      returning event_id as id
    `;
    const detections = await sql<{ id: number }[]>`
      insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
      select e.camera_id, case when n < 4 then e.event_id end, '/x.jpg', e.started_at, 'dog', 0.5
      from generate_series(1, ${perEvent}::integer) n
      cross join events e
      order by n, e.camera_id desc
      returning detection_id as id
    `;
    return { events: events.map(({ id }) => id), detections: detections.map(({ id }) => id) };
  });
}

const some = (ids: readonly number[], round: number, step: number): number[] =>
  ids
    .filter((_, at) => (at + round) % step === 0)
    .slice(0, 100)
    .reverse();

it("lock order: cleaning up and changing the same events and detections never deadlock", async () => {
  for (let round = 0; round < 6; round += 1) {
    const { events, detections } = await fill();
    const item = (id: number) => ({ camera_id: "a", started_at: "2026-01-01T00:00:00Z", detection_ids: [id] });
    const work = [
      desk.ask("cleanUp", { query: "dry_run=false" }),
      desk.ask("deleteDetections", { body: { detection_ids: some(detections, round, 3) } }),
      desk.ask("deleteDetections", { body: { detection_ids: some(detections, round + 1, 5) } }),
      desk.ask("updateDetections", { body: { detections: some(detections, round, 4).map((id) => ({ id, confidence: 0.9 })) } }),
      desk.ask("deleteEvents", { body: { event_ids: some(events, round, 2) } }),
      desk.ask("updateEvents", { body: { events: some(events, round, 3).map((id) => ({ id, reviewed: true })) } }),
      desk.ask("createEvents", { body: { events: some(detections.slice(-eventCount), round, 4).map(item) } }),
      desk.ask("createDetections", {
        body: {
          detections: cameras.flatMap((camera_id) =>
            some(events, round, 7).map((event_id) => ({
              ...{ camera_id, event_id, file_path: "/x.jpg", detected_at: "2026-01-01T00:00:00Z", object_type: "cat", confidence: 0.5 },
            })),
          ),
        },
      }),
    ];
    const failures = (await Promise.allSettled(work)).flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
    expect(failures).toEqual([]);
    const [counts] = await desk.db.query(
      (sql) => sql<[{ counted: number; there: number }]>`
        select (select coalesce(sum(t.count), 0)::integer from totals t) as counted,
          (select count(*) from detections) + (select count(*) from events e where e.deleted_at is null) as there
      `,
    );
    expect(counts.counted).toBe(counts.there);
  }
});

it("lock order: cleaning up, closing digests and deleting rules never deadlock", async () => {
  const delivery = { availability: channelAvailability(desk.context.config), expiryHours: 24 };
  for (let round = 0; round < 12; round += 1) {
    await fill();
    const rule = await desk.ask("createRule", { body: { name: `R${round}`, severity: "high" } });
    await desk.db.query(async (sql) => {
      await sql`
        insert into alerts (alert_id, event_id, rule_id, rule_name, camera_id, severity, dedup_key, created_at, updated_at, alert_metadata)
        select gen_random_uuid(), e.event_id, ${rule.id}::uuid, 'R', e.camera_id, 'high', 'k' || e.event_id,
          timestamptz '2026-01-01Z' + e.event_id % 7 * interval '1 minute', '2026-03-01Z', '{}'
        from events e, generate_series(1, 4)
        order by random()
      `;
      await sql`insert into digests (alert_id, due_at, channels) select a.alert_id, '2026-02-01Z', '{email}' from alerts a where a.event_id % 3 = 0`;
      await sql`
        insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, suppressed_by, evaluated_at)
        select a.event_id, gen_random_uuid(), 'R', 1, 'suppressed', '{}', '{}', a.alert_id, now()
        from alerts a
        where a.event_id % 6 = 0
      `;
      await sql`analyze alerts`;
    });
    const work = [
      desk.ask("cleanUp", { query: "dry_run=false" }),
      closeDueDigests(desk.db, delivery, desk.context.clock.now(), 100),
      sleep(round * 4).then(() => desk.ask("deleteRule", { params: { id: rule.id } })),
    ];
    const failed = (await Promise.allSettled(work)).flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
    expect(failed).toEqual([]);
  }
});
