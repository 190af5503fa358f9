import { rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/platform/database/database.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { planCollector, reportPlans, type StatementPlan } from "../support/statement-plans.ts";
import { temporaryFolder } from "../support/temporary.ts";
import {
  detectorStandIn,
  embedderStandIn,
  enrichmentStandIn,
  languageModelStandIn,
  type StandIn,
  visionStandIn,
} from "../support/upstream.ts";

/** Rows of each table before the first picture arrives: what a night without detector and services leaves in a new database. */
const backlog = 6_500;
/** A statement of the pipeline reads far fewer rows than that; one without statistics that reads a table or a queue reads all of them. */
const mostRows = 1_000;

/** Statements that read many rows whatever the planner knows. */
const known = [
  // numbers of waiting jobs: health, metrics, live view
  /^select j\.queue, count\(\*\) filter/,
  // exact totals of lists
  /^select count\(\*\) as count from (alerts|images|detections) \w/,
  // health: reads a small table whole until it has statistics
  /^select n\.channel, count\(\*\) as count, min\(n\.created_at\) as since/,
  // passes over the jobs that wait for a later time: few in reality, all of them here
  /^with next as \( select j\.job_id from jobs j where j\.queue = \$1 and j\.status = 'pending' and j\.available_at <= \$2 order by/,
];

/**
 * Fills the tables as a new installation does that took in a backlog: rows were inserted one after the other, and `analyze` has not run.
 * All jobs wait for a later time, so that the daemon leaves them alone.
 */
async function fill(db: Database, cameraRoot: string): Promise<void> {
  await db.query(async (sql) => {
    await sql`
      insert into cameras (camera_id, name, folder_path, status, last_seen_at)
      select 'cam' || n, 'Camera ' || n, ${cameraRoot} || '/cam' || n, 'online', now() from generate_series(0, 3) n
    `;
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, media_type, sha256, found_by, found_at, taken_at, status, started_at, finished_at)
      select 'cam' || n % 4, ${cameraRoot} || '/cam' || n % 4 || '/old-' || n || '.jpg', 100000, n, 'image/jpeg', sha256(n::text::bytea), 'scan',
        now(), now() - interval '10 hours' + n * interval '5 seconds', case when n % 2 = 0 then 'processed' else 'deferred' end,
        case when n % 2 = 0 then now() end, case when n % 2 = 0 then now() end
      from generate_series(1, ${2 * backlog}::integer) n
    `;
    await sql`
      insert into batches (camera_id, status, started_at, last_detection_at, due_at, detection_count, opened_at, joined_at, closed_at, close_reason)
      select 'cam' || n % 4, 'closed', t.at, t.at, t.at, 2, t.at, t.at, t.at, 'idle'
      from generate_series(1, ${backlog / 2}::integer) n
      cross join lateral (select now() - interval '10 hours' + n * interval '10 seconds' as at) t
    `;
    await sql`
      insert into events (batch_id, camera_id, started_at, ended_at, detection_count, object_types, created_at)
      select b.batch_id::text, b.camera_id, b.started_at, b.started_at, 2, '{person}', b.started_at from batches b order by b.started_at
    `;
    await sql`
      insert into detections (camera_id, image_id, batch_id, event_id, file_path, file_type, detected_at, object_type, confidence)
      select i.camera_id, i.image_id, e.batch_id::uuid, e.event_id, i.path, 'image/jpeg', i.taken_at, 'person', 0.9
      from images i
      join events e on e.event_id = 1 + i.image_id / 4
      where i.status = 'processed'
    `;
    await sql`
      insert into jobs (queue, subject, priority, position, available_at)
      select q.queue, n::text, 10, now() - interval '10 hours' + n * interval '5 seconds', now() + interval '1 day'
      from unnest(array['detect', 'enrich', 'analyze']) q (queue)
      cross join generate_series(1, ${2 * backlog}::integer) n
      where n % 2 = case q.queue when 'detect' then 1 else 0 end
    `;
    await sql`
      insert into journal (sequence, type, data, created_at) select n, 'event', '{}', now() from generate_series(1, ${backlog}::integer) n
    `;
    await sql`update journal_head set last_sequence = ${backlog}`;
    await sql`
      insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, alert_metadata, created_at, updated_at)
      select gen_random_uuid(), e.event_id, 'Old', e.camera_id, 'high', 'old:' || e.event_id,
        '{"rule_name": "Old", "matched_conditions": [], "channels": [], "reason": null}', e.started_at, e.started_at from events e
    `;
    await sql`
      insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, alert_id, evaluated_at)
      select a.event_id, gen_random_uuid(), 'Old', 1, 'raised', '{}', '{}', a.alert_id, a.created_at from alerts a
    `;
    await sql`
      insert into cooldowns (dedup_key, alert_id, rule_id, raised_at, ends_at, band)
      select a.dedup_key, a.alert_id, gen_random_uuid(), a.created_at, a.created_at, 0 from alerts a
    `;
    await sql`
      insert into notifications (notification_id, alert_id, kind, channel, status, expires_at, created_at, finished_at)
      select gen_random_uuid(), a.alert_id, 'alert', 'webhook', 'sent', now(), a.created_at, now() from alerts a
    `;
    await sql`
      insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome)
      select e.event_id, 1, e.started_at, e.started_at, 'unavailable' from events e
    `;
  });
}

/**
 * What a person looks at and does meanwhile. Lists narrowed by a status and statistics of latencies are missing: without statistics the
 * server sorts all rows that match, which takes a few milliseconds and no picture waits for it.
 */
const pages = [
  ...["events", "events?camera_id=cam1", "events?kind=all", "events/stats", "events/search?q=somebody", "events/1", "events/1/explain"],
  `events/timeline-summary?start_date=${new Date(Date.now() - 86_400_000).toISOString()}&end_date=${new Date().toISOString()}`,
  ...["alerts", "detections", "detections?camera_id=cam1", "detections/stats", "detections/labels", "images", "images/2/explain"],
  ...["cameras", "cameras/cam1", "cameras/cam1/snapshot", "cameras/cam1/baseline", "cameras/cam1/scene-changes", "entities", "dlq/stats"],
  ...["dlq/detect", "outbound-webhooks", "outbound-webhooks/health", "system/health", "system/health/full", "system/pipeline"],
  ...["system/storage", "analytics/detection-trends?start_date=2026-01-01&end_date=2026-01-31"],
  `cameras/cam1/explain?at=${new Date().toISOString()}`,
];
const actions = [
  ["POST", "events/EVENT/reanalyze"],
  ["DELETE", "events/EVENT"],
  ["POST", "events/EVENT/restore"],
] as const;

/** A folder with pictures, as a camera that was there before homesec has one. */
async function withOldPictures(): Promise<string> {
  const folder = join(temporaryFolder("old-pictures").path, "cam4");
  for (let n = 100; n < 108; n += 1) await renameIn(join(folder, `${n}.jpg`), await uniqueJpeg(n));
  return folder;
}

let database: TestDatabase;
let daemon: TestDaemon | undefined;
let hook: Receiver;
let services: readonly StandIn[];
let plans: readonly StatementPlan[];
beforeAll(async () => {
  database = await testDatabase({ fresh: true });
  await reportPlans(database.db);
  hook = await receiver();
  const started = await Promise.all([detectorStandIn(), languageModelStandIn(), visionStandIn(), embedderStandIn(), enrichmentStandIn()]);
  services = started;
  const [detector, model, vision, embedder, enricher] = started;
  const collector = planCollector();
  daemon = await testDaemon({
    log: collector.log,
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, VISION_URL: vision.url },
      ...{ EMBEDDER_URL: embedder.url, ENRICHMENT_URL: enricher.url, VISION_EXTRACTION_ENABLED: "true", REID_ENABLED: "true" },
      ...{ BATCH_IDLE_TIMEOUT_SECONDS: "1", BATCH_WINDOW_SECONDS: "3", DEFAULT_WEBHOOK_URL: hook.url, OUTBOUND_ALLOW: "127.0.0.1" },
    },
  });
  const { url, cameraRoot } = daemon;
  await fill(database.db, cameraRoot);
  await rename(await withOldPictures(), join(cameraRoot, "cam4"));
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
  };
  await post("/api/alerts/rules", { name: "Person", object_types: ["person"], cooldown_seconds: 0, channels: ["webhook"] });
  await post("/api/alerts/rules", { name: "Score", risk_threshold: 10, cooldown_seconds: 0 });
  await post("/api/outbound-webhooks", { name: "All", url: hook.url, event_types: ["event_created", "event_enriched", "alert_fired"] });
  for (let n = 0; n < 24; n += 1) await renameIn(join(cameraRoot, `cam${n % 4}`, `new-${n}.jpg`), await uniqueJpeg(n));
  // The event, its alert, its score and its enrichment reached the outside.
  const seen = () => new Set(hook.received.map(({ body }) => (JSON.parse(body) as { event_type?: string; type?: string }).event_type));
  await eventually(async () => ["event_created", "event_enriched", "alert_fired"].every((type) => seen().has(type)), { timeoutMs: 60_000 });
  for (const page of pages) {
    const { status } = await fetch(`${url}/api/${page}`);
    expect([page, status === 200 || status === 503]).toEqual([page, true]);
  }
  const [event] = ((await (await fetch(`${url}/api/events?limit=1`)).json()) as { items: { id: number }[] }).items;
  for (const [method, path] of actions) {
    const { status } = await fetch(`${url}/api/${path.replace("EVENT", String(event?.id))}`, { method });
    expect([path, status < 300]).toEqual([path, true]);
  }
  await daemon.stop();
  daemon = undefined;
  plans = collector.plans();
}, 180_000);
afterAll(async () => {
  await daemon?.stop();
  await Promise.all([...(services ?? []).map((service) => service.close()), hook?.close(), database?.close()]);
});

describe("a new database with a backlog and no statistics", () => {
  it("unanalyzed database: the plans of the pipeline's statements were reported", () => {
    for (const part of ["insert into images", "insert into detections", "insert into events", "insert into alerts", "delete from jobs"]) {
      expect(
        plans.some(({ text }) => text.includes(part)),
        part,
      ).toBe(true);
    }
    expect(plans.length).toBeGreaterThan(100);
  });

  it("unanalyzed database: no statement reads a backlog", () => {
    const wide = plans
      .filter(({ text, rowsRead }) => rowsRead > mostRows && !known.some((one) => one.test(text)))
      .toSorted((one, other) => other.rowsRead - one.rowsRead)
      .map(({ text, rowsRead, scans, runs }) => `${rowsRead} rows, ${runs} runs: ${text.slice(0, 400)}\n  ${scans.join("\n  ")}`);
    expect(wide.join("\n\n")).toBe("");
  });
});
