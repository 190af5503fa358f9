import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queueNotifications } from "../../../src/alerting/notifications/queue.ts";
import { insertRule } from "../../../src/alerting/rules/rules-repository.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { recordAttempt, storeAnalysisFailure, storeVerdict } from "../../../src/monitoring/events/analysis.ts";
import { announceEvents } from "../../../src/monitoring/events/announcement.ts";
import { findEvents } from "../../../src/monitoring/events/events-repository.ts";
import { emitAboutEvents } from "../../../src/monitoring/events/messages.ts";
import { createAlertStage } from "../../../src/pipeline/alert.ts";
import { releaseDeliverJobs } from "../../../src/work/jobs/deliver-repository.ts";
import { claimNextInLanes, claimNextJobs, promoteAllJobs } from "../../../src/work/jobs/jobs-repository.ts";
import { definitionWith } from "../../alerting/rules/rule-values.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";

const processId = "00000000-0000-4000-8000-000000000001";
const stored = new Date("2026-07-01T21:31:00Z");
const later = (ms: number) => new Date(stored.getTime() + ms);
const thresholds = { low: 0, medium: 30, high: 60, critical: 80 };
const verdict = { riskScore: 72, summary: "Two people and a dog.", reasoning: "At night.", riskFactors: [] };

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(() => database.db.query((sql) => emptyTables(sql, "cameras, jobs, journal, webhooks, rules")));

const types = ["event_created", "event_enriched", "batch_analysis_started", "batch_analysis_completed", "batch_analysis_failed"] as const;

/** Adds a webhook that subscribes to messages about events. */
const subscribe = (subscribed: readonly string[] = types) =>
  database.db.query(
    (sql) => sql`
      insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
      values (${randomUUID()}, 'Hook', 'http://127.0.0.1:9/', ${[...subscribed]}, 'generic', '\\x00', 4, 10, ${stored}, ${stored})
    `,
  );

/** Stores an event with two people and a dog in its second picture, announces it, and returns its id. */
const happen = async (at = stored, endedAt = at): Promise<number> =>
  await database.db.transaction(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('gate', 'The Gate', '/gate') on conflict do nothing`;
    const [event] = await sql<[{ id: number }]>`
      insert into events (camera_id, started_at, ended_at, created_at, object_types)
      values ('gate', ${endedAt}, ${endedAt}, ${at}, ${["dog", "person"]})
      returning event_id as id
    `;
    const seen = [
      ...(["person"] as const).map((type) => ({ type, picture: "1.jpg" })),
      ...(["person", "person", "dog"] as const).map((type) => ({ type, picture: "2.jpg" })),
    ];
    for (const { type, picture } of seen) {
      await sql`
        insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
        values ('gate', ${event.id}, ${`/gate/${picture}`}, ${endedAt}, ${type}, 0.9)
      `;
    }
    await announceEvents(sql, await findEvents(sql, [event.id]), at);
    return event.id;
  });
const judge = (eventId: number, now: Date) =>
  database.db.transaction((sql) => storeVerdict(sql, { eventId, attempt: 1, verdict, analyzedBy: "tester", thresholds, now }));
const attempt = (eventId: number, outcome: "completed" | "unavailable", seconds: number) =>
  database.db.query((sql) =>
    recordAttempt(sql, {
      eventId,
      startedAt: stored,
      finishedAt: later(seconds * 1000),
      outcome,
      analyzedBy: null,
      error: null,
      answer: null,
    }),
  );
/** Claims the messages that are due, and returns their types and data. */
const due = async (now: Date) => {
  const jobs = await database.db.query((sql) => claimNextInLanes(sql, { queue: "deliver", processId, now }, 10));
  const ids = jobs.map(({ subject }) => subject.split(":")[1] ?? "");
  return await database.db.query(async (sql) => {
    const rows = await sql<{ type: string; data: Record<string, unknown> }[]>`
      select d.event_type as type, d.data from webhook_deliveries d where d.delivery_id = any (${ids}::uuid[])
    `;
    await sql`delete from jobs where job_id = any (${jobs.map(({ jobId }) => jobId)}::bigint[])`;
    return rows;
  });
};
const typesDue = async (now: Date) => (await due(now)).map(({ type }) => type);

describe("event messages: a new event waits for its judgement", () => {
  test("it is sent with score, summary, classes and links as soon as the judgement is stored", async () => {
    await subscribe(["event_created"]);
    const id = await happen();
    expect(await typesDue(later(1_000))).toEqual([]);
    await judge(id, later(1_500));
    const [message] = await due(later(1_500));
    expect(message?.data).toMatchObject({
      ...{ id, event_id: id, kind: "event", camera_id: "gate", camera_name: "The Gate" },
      ...{ risk_score: 72, risk_level: "high", summary: "Two people and a dog.", reasoning: "At night.", analysis_status: "completed" },
      ...{ object_types: ["dog", "person"], object_counts: { dog: 1, person: 2 }, event_url: `/api/events/${id}` },
    });
  });

  test("without a judgement it is sent after four seconds", async () => {
    await subscribe(["event_created"]);
    await happen();
    expect(await typesDue(later(3_999))).toEqual([]);
    const [message] = await due(later(4_000));
    expect(message?.data).toMatchObject({ risk_score: null, summary: "", analysis_status: "pending" });
  });

  test("it is sent at once when its analysis fails or the judge does not answer", async () => {
    await subscribe(["event_created"]);
    const failed = await happen();
    await database.db.transaction((sql) => storeAnalysisFailure(sql, { eventId: failed, attempt: 1, error: "no JSON", now: later(100) }));
    expect((await due(later(100))).map(({ data }) => data["analysis_status"])).toEqual(["failed"]);
    const unasked = await happen();
    await database.db.transaction((sql) => releaseDeliverJobs(sql, String(unasked), later(200)));
    expect(await typesDue(later(200))).toEqual(["event_created"]);
  });

  test("it does not wait when the judge was away or slow at the newest event, and waits again when it is quick", async () => {
    await subscribe(["event_created"]);
    await attempt(await happen(), "unavailable", 0.1);
    await due(later(10_000));
    const second = await happen();
    expect(await typesDue(stored)).toEqual(["event_created"]);
    await attempt(second, "completed", 20);
    const third = await happen();
    expect(await typesDue(stored)).toEqual(["event_created"]);
    await attempt(third, "completed", 0.2);
    await happen();
    expect(await typesDue(stored)).toEqual([]);
  });

  test("an event of a backlog does not wait", async () => {
    await subscribe(["event_created"]);
    await happen(stored, later(-3_600_000));
    expect(await typesDue(stored)).toEqual(["event_created"]);
  });

  test("the wait survives a restart of the daemon", async () => {
    await subscribe(["event_created"]);
    const id = await happen();
    await database.db.query((sql) => promoteAllJobs(sql, later(500)));
    expect(await typesDue(later(500))).toEqual([]);
    await judge(id, later(600));
    expect((await due(later(600))).map(({ data }) => data["risk_score"])).toEqual([72]);
  });

  test("a wait that lies far ahead, after the clock was set back, ends at the restart", async () => {
    await subscribe(["event_created"]);
    await happen();
    await database.db.query((sql) => promoteAllJobs(sql, later(-3_600_000)));
    expect(await typesDue(later(-3_600_000))).toEqual(["event_created"]);
  });
});

describe("event messages: order at a webhook", () => {
  const about = (type: "batch_analysis_started", id: number, now: Date) =>
    database.db.transaction((sql) =>
      emitAboutEvents(
        sql,
        [{ type, subject: String(id), about: id, data: { event_id: id, batch_id: null, camera_id: "gate", attempt: 1 } }],
        now,
      ),
    );

  test("later messages about the same event come behind it, in order", async () => {
    await subscribe();
    const id = await happen();
    await about("batch_analysis_started", id, later(100));
    expect(await typesDue(later(200))).toEqual([]);
    await judge(id, later(300));
    const came: string[] = [];
    for (let n = 0; n < 3; n += 1) came.push(...(await typesDue(later(300))));
    expect(came).toEqual(["event_created", "batch_analysis_started", "batch_analysis_completed"]);
  });

  test("a message whose webhook does not subscribe to new events does not wait", async () => {
    await subscribe(["batch_analysis_started"]);
    await about("batch_analysis_started", await happen(), later(100));
    expect(await typesDue(later(100))).toEqual(["batch_analysis_started"]);
  });

  test("a message about another event does not wait", async () => {
    await subscribe();
    await happen();
    const judged = await happen(later(-60_000));
    await due(later(-50_000));
    await about("batch_analysis_started", judged, later(100));
    expect(await typesDue(later(100))).toEqual(["batch_analysis_started"]);
  });
});

test("event messages: neither a new message nor its release goes through the messages of other events", async () => {
  await subscribe(["event_created"]);
  const [id] = [await happen()];
  await database.db.query(async (sql) => {
    // A new installation under load has no table statistics
    await sql`alter table jobs set (autovacuum_enabled = false)`;
    await sql`
      insert into jobs (queue, lane, subject, position, available_at, awaits)
      select 'deliver', 'webhook:' || w.webhook_id, 'delivery:' || gen_random_uuid(), now(), now(), 'other' || n
      from webhooks w, generate_series(1, 20000) n
    `;
  });
  await database.db.transaction(async (sql) => {
    const read = async (): Promise<number> => {
      const [row] = await sql<[{ n: number }]>`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables where relname = 'jobs'
      `;
      return row.n;
    };
    const before = await read();
    await announceEvents(sql, await findEvents(sql, [id]), stored);
    await storeVerdict(sql, { eventId: id, attempt: 1, verdict, analyzedBy: "tester", thresholds, now: later(100) });
    expect((await read()) - before).toBeLessThan(100);
  });
});

test("event messages: without a subscribed webhook nothing is stored", async () => {
  const id = await happen();
  await judge(id, later(100));
  const [row] = await database.db.query((sql) => sql<[{ count: number }]>`select count(*)::int as count from webhook_deliveries`);
  expect(row.count).toBe(0);
});

const usable = { usable: true } as const;
const availability = { email: usable, webhook: usable, push: usable };
const claimed = (now: Date) => database.db.query((sql) => claimNextInLanes(sql, { queue: "deliver", processId, now }, 10));

/** Queues a mail about a new event, which waits for its judgement. */
async function mailThatWaits(id: number): Promise<void> {
  const alertId = randomUUID();
  await database.db.transaction(async (sql) => {
    await sql`
      insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, alert_metadata, created_at, updated_at)
      values (${alertId}, ${id}, 'Rule', 'gate', 'high', 'k', '{}', ${stored}, ${stored})
    `;
    const judgement = { eventId: id, dueAt: later(4_000) };
    const order = { alertId, kind: "alert", channels: ["email"], expiresAt: later(60_000), judgement } as const;
    await queueNotifications(sql, order, availability, stored);
  });
}

test("event messages: a mail waits for the judgement like a new event, and no longer", async () => {
  const id = await happen();
  await mailThatWaits(id);
  expect(await claimed(later(1_000))).toEqual([]);
  await judge(id, later(1_100));
  expect(await claimed(later(1_100))).toHaveLength(1);
});

test("event messages: a mail also waits for the rules that need the score, so that it can name them", async () => {
  await database.db.query((sql) => insertRule(sql, definitionWith({ risk_threshold: 90 }), stored));
  const id = await happen();
  await mailThatWaits(id);
  await judge(id, later(1_100));
  expect(await claimed(later(1_100))).toEqual([]);
  const clock = { now: () => later(1_200), monotonic: () => 0 };
  const delivery = { availability, expiryHours: 24 };
  const stage = createAlertStage({ db: database.db, clock, log: silentLog, delivery, onVerdicts: () => {} });
  const evaluations = await database.db.query((sql) => claimNextJobs(sql, { queue: "alert", processId, now: later(1_200) }, 10));
  for (const job of evaluations) await stage.run(job, new AbortController().signal, () => {});
  expect(await claimed(later(1_200))).toHaveLength(1);
});
