import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Sql } from "../../../src/platform/database/database.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ max: 10 });
  await database.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path)
      select 'cam' || n, 'Camera ' || n, '/cameras/cam' || n
      from generate_series(0, 3) n
    `,
  );
});
afterAll(() => database.close());

/** Every difference between the analytics and a count of the rows. */
async function differences(sql: Sql): Promise<readonly object[]> {
  const detections = await sql`
    select day, camera_id, object_type, sum(count)::int as count, sum(millionths)::bigint as millionths
    from (
      select d.day, d.camera_id, d.object_type, d.count, d.confidence_millionths as millionths from detections_per_day d
      union all
      select (d.detected_at at time zone 'utc')::date, d.camera_id, d.object_type, -1, -round(d.confidence * 1000000)::bigint from detections d
    ) both_ways
    group by day, camera_id, object_type
    having sum(count) <> 0 or sum(millionths) <> 0
  `;
  const types = await sql`
    select day, object_type, sum(count)::int as count
    from (
      select t.day, t.object_type, t.count from detection_types_per_day t
      union all
      select (d.detected_at at time zone 'utc')::date, d.object_type, -1 from detections d
    ) both_ways
    group by day, object_type
    having sum(count) <> 0
  `;
  const cameras = await sql`
    select day, camera_id, sum(count)::int as count
    from (
      select c.day, c.camera_id, c.count from detection_cameras_per_day c
      union all
      select (d.detected_at at time zone 'utc')::date, d.camera_id, -1 from detections d
    ) both_ways
    group by day, camera_id
    having sum(count) <> 0
  `;
  const scores = await sql`
    select day, sum(count)::int as count, sum(score_sum)::int as score_sum
    from (
      select s.day, s.count, s.score_sum, s.low, s.medium, s.high, s.critical from events_scored_per_day s
      union all
      select (e.started_at at time zone 'utc')::date, -1, -e.risk_score, -(e.risk_score < 30)::int, -(e.risk_score between 30 and 59)::int,
        -(e.risk_score between 60 and 84)::int, -(e.risk_score >= 85)::int
      from events e
      where e.deleted_at is null and e.risk_score is not null
    ) both_ways
    group by day
    having (sum(count), sum(score_sum), sum(low), sum(medium), sum(high), sum(critical)) <> (0, 0, 0, 0, 0, 0)
  `;
  // The counts by score lack the pending changes.
  const waiting = sql`select date_trunc('month', c.hour, 'UTC')::date as month, c.risk_score, -c.count as count from event_changes c where c.risk_score is not null`;
  const rows = sql`
    select date_trunc('month', e.started_at, 'UTC')::date as month, e.risk_score, -1 as count
    from events e
    where e.deleted_at is null and e.risk_score is not null
  `;
  const perScore = await sql`
    select month, risk_score, sum(months)::int as months, sum(days)::int as days
    from (
      select s.month, s.risk_score, s.count as months, 0 as days from event_score_months s
      union all
      select date_trunc('month', s.day::timestamp)::date, s.risk_score, 0, s.count from event_scores s
      union all
      select w.month, w.risk_score, -w.count, -w.count from (${waiting}) w
      union all
      select r.month, r.risk_score, r.count, r.count from (${rows}) r
    ) both_ways
    group by month, risk_score
    having sum(months) <> 0 or sum(days) <> 0
  `;
  const levels = await sql`
    select day, camera_id, risk_level, sum(count)::int as count
    from (
      select d.day, d.camera_id, d.risk_level, d.count from events_per_day d
      union all
      select (e.started_at at time zone 'utc')::date, e.camera_id, coalesce(e.risk_level, 'unscored'), -1 from events e where e.deleted_at is null
    ) both_ways
    group by day, camera_id, risk_level
    having sum(count) <> 0
  `;
  // An hour with pending changes is not read.
  const hours = await sql`
    select coalesce(h.camera_id, e.camera_id) as camera_id, coalesce(h.hour, e.hour) as hour, h.count, h.max_risk_score
    from event_hours h
    full join (
      select e.camera_id, date_trunc('hour', e.started_at, 'UTC') as hour, count(*) as count, max(e.risk_score) as max_risk_score
      from events e
      where e.deleted_at is null
      group by 1, 2
    ) e on e.camera_id = h.camera_id and e.hour = h.hour
    where (h.count, h.max_risk_score) is distinct from (e.count, e.max_risk_score)
      and not exists (
        select from event_changes c where c.camera_id = coalesce(h.camera_id, e.camera_id) and c.hour = coalesce(h.hour, e.hour)
      )
  `;
  const empty = await sql`
    select 'detection_days' from detection_days where count = 0
    union all select 'event_scores' from event_scores where count = 0
    union all select 'event_score_months' from event_score_months where count = 0
    union all select 'event_score_days' from event_score_days where count = 0
    union all select 'event_days' from event_days where count = 0
    union all select 'event_hours' from event_hours where count = 0
  `;
  return [...detections, ...types, ...cameras, ...scores, ...perScore, ...levels, ...hours, ...empty];
}

const camera = fc.integer({ min: 0, max: 3 }).map((n) => `cam${n}`);
// Across the end of a month.
const minutes = fc.integer({ min: 0, max: 6 * 24 * 60 });
const score = fc.option(fc.integer({ min: 0, max: 100 }), { nil: null });
const objectType = fc.constantFrom("person", "car", "dog");
const confidence = fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000);
/** The rows that a change affects, the same share in every use. */
const some = fc.record({ modulus: fc.integer({ min: 1, max: 5 }), rest: fc.integer({ min: 0, max: 4 }) });

interface Some {
  readonly modulus: number;
  readonly rest: number;
}
type Change = (sql: Sql) => PromiseLike<unknown>;

const detectionsOf = (sql: Sql, { modulus, rest }: Some) => sql`d.detection_id % ${modulus}::integer = ${rest}`;
const eventsOf = (sql: Sql, { modulus, rest }: Some) => sql`e.event_id % ${modulus}::integer = ${rest}`;

const change: fc.Arbitrary<{ readonly what: string; readonly make: Change }> = fc.oneof(
  fc.array(fc.tuple(camera, minutes, objectType, confidence), { minLength: 1, maxLength: 20 }).map((rows) => ({
    what: `insert detections ${JSON.stringify(rows)}`,
    make: (sql: Sql) => sql`
      insert into detections (camera_id, file_path, detected_at, object_type, confidence)
      select n.camera_id, '/x.jpg', timestamptz '2026-03-28Z' + n.minutes * interval '1 minute', n.object_type, n.confidence
      from unnest(
        ${rows.map((row) => row[0])}::text[], ${rows.map((row) => row[1])}::integer[],
        ${rows.map((row) => row[2])}::text[], ${rows.map((row) => row[3])}::float8[]
      ) n (camera_id, minutes, object_type, confidence)
    `,
  })),
  fc.tuple(some, objectType, confidence).map(([which, type, sure]) => ({
    what: `correct detections ${JSON.stringify([which, type, sure])}`,
    make: (sql: Sql) => sql`update detections d set object_type = ${type}, confidence = ${sure} where ${detectionsOf(sql, which)}`,
  })),
  some.map((which) => ({
    what: `touch detections ${JSON.stringify(which)}`,
    make: (sql: Sql) => sql`update detections d set thumbnail_path = 'x' where ${detectionsOf(sql, which)}`,
  })),
  some.map((which) => ({
    what: `delete detections ${JSON.stringify(which)}`,
    make: (sql: Sql) => sql`delete from detections d where ${detectionsOf(sql, which)}`,
  })),
  fc.array(fc.tuple(camera, minutes, score), { minLength: 1, maxLength: 20 }).map((rows) => ({
    what: `insert events ${JSON.stringify(rows)}`,
    make: (sql: Sql) => sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level)
      select n.camera_id, timestamptz '2026-03-28Z' + n.minutes * interval '1 minute', timestamptz '2026-04-28Z', n.score,
        case when n.score < 50 then 'low' when n.score >= 50 then 'high' end
      from unnest(${rows.map((row) => row[0])}::text[], ${rows.map((row) => row[1])}::integer[], ${rows.map((row) => row[2])}::smallint[])
        n (camera_id, minutes, score)
    `,
  })),
  fc.tuple(some, score).map(([which, value]) => ({
    what: `score events ${JSON.stringify([which, value])}`,
    make: (sql: Sql) => sql`
      update events e set risk_score = ${value}, risk_level = ${value === null ? null : value < 50 ? "low" : "high"}
      where ${eventsOf(sql, which)}
    `,
  })),
  fc.tuple(some, fc.boolean()).map(([which, deleted]) => ({
    what: `${deleted ? "delete" : "restore"} events softly ${JSON.stringify(which)}`,
    make: (sql: Sql) => sql`update events e set deleted_at = ${deleted ? sql`now()` : null} where ${eventsOf(sql, which)}`,
  })),
  fc.tuple(some, minutes).map(([which, minute]) => ({
    what: `move events ${JSON.stringify([which, minute])}`,
    make: (sql: Sql) => sql`
      update events e set started_at = timestamptz '2026-03-28Z' + ${minute} * interval '1 minute', reviewed = true where ${eventsOf(sql, which)}
    `,
  })),
  some.map((which) => ({
    what: `delete events ${JSON.stringify(which)}`,
    make: (sql: Sql) => sql`delete from events e where ${eventsOf(sql, which)}`,
  })),
);

test("roll-ups: equal the rows after any changes in any order, committed or rolled back", async () => {
  const transaction = fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 5 }), commits: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 15 }), async (transactions) => {
      const refusal = new Error("rolled back");
      for (const { changes, commits } of transactions) {
        const done = database.db.transaction(async (sql) => {
          for (const { make } of changes) await make(sql);
          if (!commits) throw refusal;
        });
        await done.catch((error: unknown) => {
          if (error !== refusal) throw error;
        });
        expect(await database.db.query(differences)).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
  const [folded] = await database.db.query((sql) => sql<[{ folds: number }]>`select min(f.folds) as folds from rollup_folds f`);
  expect(folded.folds).toBeGreaterThan(1);
});

test("roll-ups: eight concurrent writers neither wait for each other nor lose a change", async () => {
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let round = 0; round < 25; round += 1) {
      await database.db.transaction(async (sql) => {
        // Each of them all cameras, each in another order.
        for (let n = 0; n < 4; n += 1) {
          const camera = `cam${(n + writer) % 4}`;
          await sql`
            update detections d set object_type = ${n % 2 ? "cat" : "bird"}
            where d.detection_id in (select detection_id from detections where camera_id = ${camera} for update skip locked limit 3)
          `;
          await sql`
            update events e set risk_score = ${(round * 7 + writer) % 101}, risk_level = 'low'
            where e.event_id in (select event_id from events where camera_id = ${camera} for update skip locked limit 3)
          `;
        }
        const own = `cam${writer % 4}`;
        await sql`
          insert into detections (camera_id, file_path, detected_at, object_type, confidence)
          select ${own}, '/x.jpg', timestamptz '2026-03-30Z' + n * interval '1 hour', 'person', 0.5
          from generate_series(1, 4) n
        `;
        await sql`
          insert into events (camera_id, started_at, ended_at, risk_score, risk_level)
          values (${own}, '2026-03-30T10:00:00Z', '2026-03-30T10:01:00Z', ${round}, 'low')
        `;
        await sql`
          delete from detections d
          where d.detection_id in (
            select detection_id from detections where camera_id = ${own} order by detection_id for update skip locked limit 2
          )
        `;
      });
    }
  });
  await Promise.all(writers);
  expect(await database.db.query(differences)).toEqual([]);
});

test("roll-ups: few changes wait, even after many at once", async () => {
  await database.db.query(
    (sql) => sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level)
      select 'cam' || n % 4, timestamptz '2025-01-01Z' + n * interval '10 minutes', timestamptz '2026-01-01Z', n % 101, 'low'
      from generate_series(1, 5000) n
    `,
  );
  const [waiting] = await database.db.query((sql) => sql<[{ count: number }]>`select count(*) as count from event_changes`);
  expect(waiting.count).toBeLessThan(32);
  await database.db.query((sql) => sql`delete from events`);
  await database.db.query((sql) => sql`delete from detections`);
  expect(await database.db.query(differences)).toEqual([]);
});

test("roll-ups: rebuilding them from the rows gives the same result", async () => {
  await database.db.query(
    (sql) => sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level)
      select 'cam' || n % 4, timestamptz '2026-03-28Z' + n * interval '7 minutes', timestamptz '2026-04-28Z', nullif(n % 102, 101),
        case when n % 102 < 101 then 'low' end
      from generate_series(1, 500) n
    `,
  );
  await database.db.query((sql) => sql`select rebuild_rollups()`);
  const [waiting] = await database.db.query((sql) => sql<[{ count: number }]>`select count(*) as count from event_changes`);
  expect(waiting.count).toBe(0);
  expect(await database.db.query(differences)).toEqual([]);
});

test("roll-ups: do not depend on the time zone of the session", async () => {
  await database.db.transaction(async (sql) => {
    await sql`set local time zone 'Asia/Kolkata'`;
    await sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level)
      select 'cam0', timestamptz '2026-03-27T23:00:00Z' + n * interval '10 minutes', timestamptz '2026-04-28Z', 50, 'high'
      from generate_series(1, 40) n
    `;
    expect(await differences(sql)).toEqual([]);
  });
  expect(await database.db.query(differences)).toEqual([]);
});
