import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expiredImages } from "../../../src/admin/retention/expired-images-repository.ts";
import { nextPartOfThePast } from "../../../src/admin/retention/past-repository.ts";
import { retentionAt, uniformRetention } from "../../../src/admin/retention/retention.ts";
import {
  deleteBatchesBefore,
  deleteExpiredDetections,
  deleteExpiredEvents,
  deleteJournalBefore,
  thumbnailFates,
} from "../../../src/admin/retention/retention-repository.ts";
import { openCounts } from "../../../src/admin/system/home-metrics-repository.ts";
import {
  analyzeLatency,
  batchLatency,
  batchToAnalyzeLatency,
  detectLatency,
  totalLatency,
  watchLatency,
  watchToDetectLatency,
} from "../../../src/admin/system/latency-repository.ts";
import { storedCounts } from "../../../src/admin/system/storage-repository.ts";
import { meanInferenceMs } from "../../../src/monitoring/images/ledger-repository.ts";
import { recentAnswers } from "../../../src/monitoring/images/left-out-repository.ts";
import type { Sql } from "../../../src/platform/database/database.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

const now = new Date("2026-03-01T12:00:00Z");
const hour = new Date("2026-03-01T11:00:00Z");
const months = new Date("2026-01-01T00:00:00Z");
let database: TestDatabase;

/** 20,000 pictures with a detection each and 7,000 events, evenly over the last 200 days. */
beforeAll(async () => {
  // One connection, so that no other one reports its statistics later.
  database = await testDatabase({ max: 1 });
  await database.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('a', 'A', '/a'), ('b', 'B', '/b')`;
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, inference_ms, started_at, finished_at, detector, left_out)
      select case n % 2 when 0 then 'a' else 'b' end, '/x/' || n, 100, 1, 'watch', t, t, 'processed', 10, t + interval '1 second', t + interval '2 seconds',
        'd', case n % 20 when 0 then '[{"reason": "unknown_class", "count": 1, "example": null}]'::jsonb end
      from (select n, ${now}::timestamptz - n * interval '864 seconds' as t from generate_series(1, 20000) as g (n)) s
    `;
    await sql`
      insert into batches (camera_id, status, started_at, last_detection_at, due_at, opened_at, joined_at, closed_at)
      select 'a', 'closed', t, t, t, t, t, t
      from (select ${now}::timestamptz - n * interval '864 seconds' as t from generate_series(1, 20000) as g (n)) s
    `;
    await sql`
      insert into events (camera_id, started_at, ended_at, created_at)
      select 'a', ${now}::timestamptz - n * interval '2469 seconds', ${now}, ${now}::timestamptz - n * interval '2469 seconds'
      from generate_series(1, 7000) as g (n)
    `;
    await sql`
      insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome)
      select e.event_id, 1, e.started_at, e.started_at + interval '5 seconds', 'completed' from events e
    `;
    await sql`
      insert into detections (camera_id, image_id, event_id, file_path, detected_at, object_type, confidence)
      select i.camera_id, i.image_id, case when i.image_id <= 7000 then i.image_id end, i.path, i.taken_at, 'person', 0.9 from images i
    `;
    await sql`
      insert into journal (sequence, type, data, created_at)
      select n, 'event.deleted', '{"id": 1}', ${now}::timestamptz - (20001 - n) * interval '864 seconds' from generate_series(1, 20000) as g (n)
    `;
    await sql`vacuum analyze images, batches, events, analysis_attempts, detections, journal, jobs`;
  });
});
afterAll(() => database.close());

const tables = ["images", "batches", "events", "analysis_attempts", "detections", "journal"];

/** Full table scans until now. */
async function wholeReads(): Promise<number> {
  return await database.db.query(async (sql) => {
    await sql`select pg_stat_force_next_flush()`;
    await sql`select pg_stat_clear_snapshot()`;
    const [row] = await sql<[{ reads: number }]>`
      select sum(s.seq_scan)::bigint as reads from pg_stat_user_tables s where s.relname = any (${tables}::text[])
    `;
    return row.reads;
  });
}

const rule = { camera_id: "a", risk_level: null, event_days: 80, original_days: null, thumbnail_days: null };
const retention = retentionAt([rule, { ...rule, camera_id: null, risk_level: "high" }], 90, now);

describe("query plans", () => {
  const works: Readonly<Record<string, (sql: Sql) => Promise<unknown>>> = {
    "latency of the detector": (sql) => detectLatency(sql, hour),
    "latency of the detector over months": (sql) => detectLatency(sql, months),
    "latency of the watcher": (sql) => watchLatency(sql, hour),
    "latency until detections": (sql) => watchToDetectLatency(sql, months),
    "latency of batches": (sql) => batchLatency(sql, months),
    "latency of the language model": (sql) => analyzeLatency(sql, hour),
    "latency until the judgement": (sql) => batchToAnalyzeLatency(sql, hour),
    "latency in all": (sql) => totalLatency(sql, months),
    "the speed of the detector": (sql) => meanInferenceMs(sql, hour),
    "the newest unusable answers": async (sql) => expect((await recentAnswers(sql, "d", now)).leftOut).toHaveLength(5),
    "what is stored": (sql) => storedCounts(sql),
    "what is not over, for a scrape": (sql) => openCounts(sql, now),
    "which thumbnails stay": (sql) => thumbnailFates(sql, [1, 2, 3, 15_000], retention),
    "a page of old pictures": (sql) =>
      expiredImages(sql, { cameraId: "a", retention, after: undefined, limit: 500, dryRun: true, deletesFiles: true }),
    "the next part of what goes when the disk is full": (sql) =>
      nextPartOfThePast(sql, { after: months, until: hour, pictures: true }, 200),
    "some old events": (sql) => deleteExpiredEvents(sql, retention, "live", 200),
    "the next old events": (sql) => deleteExpiredEvents(sql, retention, "live", 200, { startedAt: "2020-01-01", id: 1 }),
    "some old deleted events": (sql) => deleteExpiredEvents(sql, retention, "deleted", 200),
    "some old detections": (sql) => deleteExpiredDetections(sql, uniformRetention(months), 500),
    "some old detections by rules": (sql) => deleteExpiredDetections(sql, retention, 500),
    "some old batches": (sql) => deleteBatchesBefore(sql, months, 500),
    "some of the journal": (sql) => deleteJournalBefore(sql, { before: months, now: new Date() }, 500),
  };
  it.each(Object.entries(works))("query plans: %s scans no whole table", async (_name, work) => {
    const before = await wholeReads();
    await database.db.transaction(work);
    expect(await wholeReads()).toBe(before);
  });
});

it("query plans: a full scan would be noticed", async () => {
  const before = await wholeReads();
  await database.db.query((sql) => sql`select count(*) from images i where i.detail = 'x'`);
  expect(await wholeReads()).toBeGreaterThan(before);
});

describe("latencies", () => {
  it("latencies: are computed from the newest samples of the window", async () => {
    const figures = await database.db.query((sql) => detectLatency(sql, hour));
    expect(figures).toEqual({ avg_ms: 1000, min_ms: 1000, max_ms: 1000, p50_ms: 1000, p95_ms: 1000, p99_ms: 1000, sample_count: 4 });
    expect(await database.db.query((sql) => detectLatency(sql, months))).toMatchObject({ sample_count: 5_000 });
    expect(await database.db.query((sql) => detectLatency(sql, now))).toBeNull();
  });
});
