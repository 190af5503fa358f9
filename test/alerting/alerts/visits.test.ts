import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertUpdates } from "../../../src/alerting/notifications/updates-repository.ts";
import { isImmediate } from "../../../src/alerting/rules/immediate.ts";
import { enabledRules } from "../../../src/alerting/rules/rules-repository.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { closeDueBatches } from "../../../src/monitoring/batches/aggregation.ts";
import { recordAttempt, storeVerdict } from "../../../src/monitoring/events/analysis.ts";
import { imagesForJobs } from "../../../src/monitoring/images/images-repository.ts";
import { createAlertStage } from "../../../src/pipeline/alert.ts";
import { storeFindings } from "../../../src/pipeline/store-findings.ts";
import type { Database, Sql } from "../../../src/platform/database/database.ts";
import { addJobs, claimNextJobs } from "../../../src/work/jobs/jobs-repository.ts";
import { type AlertDesk, openAlertDesk, withMail } from "./alert-desk.ts";

/*
 * Visits of people and cars, with one immediate rule, one for when the visit is over, and one for scores. Each step is the transaction
 * that the daemon runs. A crash is a transaction that is lost just before its commit, and work that is picked up again.
 */

const noon = Date.parse("2026-03-01T12:00:00Z");
const people = { object_types: ["person"], cooldown_seconds: 0, channels: ["email" as const] };

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());

type Step =
  | { readonly does: "see"; readonly camera: "yard" | "gate"; readonly type: "person" | "car"; readonly crashes: boolean }
  | { readonly does: "close" | "evaluate" | "judge" | "send"; readonly crashes: boolean }
  | { readonly does: "wait"; readonly seconds: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("see" as const),
      camera: fc.constantFrom("yard", "gate"),
      type: fc.constantFrom("person", "car"),
      crashes: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constantFrom("close", "evaluate", "judge", "send"), crashes: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 40 }) }) },
);

/** A database whose next transaction may be lost just before its commit. */
function frail(db: Database, crashes: boolean): Database {
  const transaction: Database["transaction"] = async (work) =>
    await db.transaction(async (sql) => {
      const result = await work(sql);
      if (crashes) throw new Error("killed");
      return result;
    });
  return { ...db, query: (work) => db.query(work), transaction };
}

const survive = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof Error && error.message === "killed")) throw error;
  });
  // The jobs that a killed process had claimed are pending again
  await desk.db.query(async (sql) => await sql`update jobs set status = 'pending', claimed_by = null where status = 'running'`);
};

/** The daemon's transactions, at a clock that only `wait` moves. */
function daemonAt(clock: () => Date) {
  const settings = () => desk.context.settings.current();
  let pictures = 0;
  const see = async (db: Database, camera: string, type: "person" | "car"): Promise<void> => {
    const now = clock();
    pictures += 1;
    const path = `/${camera}/${pictures}.jpg`;
    await desk.db.query(async (sql) => {
      const [image] = await sql<[{ id: number }]>`
        insert into images (camera_id, path, size_bytes, modified_ns, media_type, width, height, found_by, found_at, taken_at, status)
        values (${camera}, ${path}, 1, 1, 'image/jpeg', 640, 480, 'watch', ${now}, ${now}, 'pending')
        returning image_id as id
      `;
      await addJobs(sql, "detect", [{ subject: String(image.id), priority: 0, position: now, availableAt: now }]);
    });
    await detect(db, type);
  };
  const detect = async (db: Database, type: "person" | "car"): Promise<void> => {
    const [job] = await desk.db.query((sql) => claimNextJobs(sql, { queue: "detect", processId: randomUUID(), now: clock() }, 1));
    const [image] = job ? await desk.db.query((sql) => imagesForJobs(sql, [Number(job.subject)])) : [];
    if (!job || !image) return;
    const found = { objectType: type, confidence: 0.8, box: { x: 10, y: 10, width: 50, height: 90 } } as const;
    const seen = {
      kind: "detected",
      detector: "test",
      inferenceMs: 1,
      width: null,
      height: null,
      detections: [found],
      leftOut: [],
    } as const;
    const picture = { job, image, seen, findings: [{ found, frame: null }], detail: null, startedAt: clock() };
    const immediateRules = (await desk.db.query(enabledRules)).filter(isImmediate);
    const context = { settings: settings(), batchMaxDetections: 4, enrichmentWaitMs: 0, immediateRules, now: clock() };
    await db.transaction((sql) => storeFindings(sql, [picture], context));
  };
  const evaluate = async (db: Database): Promise<boolean> => {
    const { delivery } = desk;
    const stage = createAlertStage({ db, delivery, clock: desk.context.clock, log: silentLog, onVerdicts: () => {} });
    const [job] = await desk.db.query((sql) => claimNextJobs(sql, { queue: "alert", processId: randomUUID(), now: clock() }, 1));
    if (job) await stage.run(job, new AbortController().signal, () => {});
    return job !== undefined;
  };
  const judge = async (db: Database): Promise<boolean> => {
    const [job] = await desk.db.query((sql) => claimNextJobs(sql, { queue: "analyze", processId: randomUUID(), now: clock() }, 1));
    if (!job) return false;
    const [eventId, now] = [Number(job.subject), clock()];
    const verdict = { riskScore: 80, summary: "Somebody.", reasoning: "", riskFactors: [] };
    await db.transaction(async (sql) => {
      await sql`delete from jobs where job_id = ${job.jobId}`;
      const times = { startedAt: now, finishedAt: now };
      await recordAttempt(sql, { eventId, ...times, outcome: "completed", analyzedBy: "test", error: null, answer: null });
      const { riskScoreThresholds: thresholds } = settings();
      await storeVerdict(sql, { eventId, attempt: job.attempts, verdict, analyzedBy: "test", thresholds, now });
    });
    return true;
  };
  return { see, detect, evaluate, judge, close: (db: Database) => db.transaction((sql) => closeDueBatches(sql, clock(), settings())) };
}

/** Sends the oldest waiting message, as the delivery engine stores it: a message of a visit that is not judged needs an update. */
async function sendOne(db: Database, now: Date): Promise<boolean> {
  return await db.transaction(async (sql) => {
    const [sent] = await sql<[{ id: string; isUnjudged: boolean; kind: string }?]>`
      select n.notification_id as id, n.kind, e.risk_score is null as "isUnjudged"
      from notifications n join alerts a using (alert_id) join events e using (event_id)
      where n.status = 'waiting' and n.joined_to is null
      order by n.created_at, n.notification_id limit 1
    `;
    if (!sent) return false;
    await sql`
      update notifications set status = 'sent', finished_at = ${now}
      where (notification_id = ${sent.id} or joined_to = ${sent.id}) and status = 'waiting'
    `;
    await sql`delete from jobs where subject = 'notification:' || ${sent.id}::text`;
    if (sent.kind === "alert" && sent.isUnjudged) await insertUpdates(sql, { notificationIds: [sent.id] }, now);
    return true;
  });
}

async function play(steps: readonly Step[]): Promise<void> {
  await desk.empty();
  const immediate = await desk.rule({ ...people, name: "now", immediate: true });
  await desk.rule({ ...people, name: "later", channels: null });
  await desk.rule({ ...people, name: "scored", risk_threshold: 70, channels: null });
  let at = noon;
  desk.at(new Date(at));
  const daemon = daemonAt(() => new Date(at));
  const run = async (step: Exclude<Step, { does: "wait" }>): Promise<unknown> => {
    const db = frail(desk.db, step.crashes);
    if (step.does === "see") return await daemon.see(db, step.camera, step.type);
    return step.does === "send" ? await sendOne(db, new Date(at)) : await daemon[step.does](db);
  };
  for (const step of steps) {
    if (step.does === "wait") at += step.seconds * 1000;
    // Nothing happens in the same millisecond
    else at += 1;
    desk.at(new Date(at));
    if (step.does !== "wait") await survive(run(step));
  }
  // The rest of the day, without crashes
  for (let left = 20; left > 0; left -= 1) await daemon.detect(desk.db, "person");
  at += 600_000;
  desk.at(new Date(at));
  await daemon.close(desk.db);
  const works = async (): Promise<boolean> =>
    (await daemon.evaluate(desk.db)) || (await sendOne(desk.db, new Date(at))) || (await daemon.judge(desk.db));
  while (await works()) {
    at += 1;
    desk.at(new Date(at));
  }
  await desk.db.query((sql) => check(sql, immediate.id));
  await checkBacktest(immediate.id);
}

async function check(sql: Sql, immediateId: string): Promise<void> {
  const events = await sql<
    { id: number; ongoing: boolean; count: number; stored: number; types: string[]; batches: number; told: number }[]
  >`
    select e.event_id as id, e.ongoing, e.detection_count as count, e.object_types as types,
      (select count(*) from detections d where d.event_id = e.event_id) as stored,
      (select count(*) from batches b where b.batch_id::text = e.batch_id and b.status = 'closed') as batches,
      (select count(*) from journal j where j.type = 'event' and j.data ->> 'id' = e.event_id::text) as told
    from events e
  `;
  for (const event of events) expect(event).toMatchObject({ ongoing: false, batches: 1, told: 1, count: event.stored });
  const [left] = await sql<[{ batches: number; detections: number; jobs: number; waiting: number }]>`
    select (select count(*) from batches b where b.status = 'open' or not exists (select from events e where e.batch_id = b.batch_id::text)) as batches,
      (select count(*) from detections d where d.event_id is null) as detections,
      (select count(*) from jobs j where j.queue in ('detect', 'analyze', 'alert')) as jobs,
      (select count(*) from notifications n where n.status = 'waiting') as waiting
  `;
  expect(left).toEqual({ batches: 0, detections: 0, jobs: 0, waiting: 0 });
  const alerts = await sql<{ event: number; rule: string; kinds: string[]; beforeTheEnd: boolean; unjudged: boolean }[]>`
    select a.event_id as event, a.rule_name as rule, a.created_at < coalesce(e.closed_at, '-infinity') as "beforeTheEnd",
      array(select n.kind from notifications n where n.alert_id = a.alert_id order by n.kind) as kinds,
      exists (
        select from notifications n join analysis_attempts t on t.event_id = a.event_id
        where n.alert_id = a.alert_id and n.kind = 'alert' and n.finished_at < t.finished_at
      ) as unjudged
    from alerts a join events e using (event_id)
  `;
  const withPeople = events.filter(({ types }) => types.includes("person"));
  for (const rule of ["now", "later", "scored"]) {
    const ids = alerts.filter((alert) => alert.rule === rule).map(({ event }) => event);
    expect(
      ids.toSorted((a, b) => a - b),
      rule,
    ).toEqual(withPeople.map(({ id }) => id).toSorted((a, b) => a - b));
  }
  for (const alert of alerts.filter(({ rule }) => rule === "now"))
    expect(alert.kinds).toEqual(alert.beforeTheEnd && alert.unjudged ? ["alert", "update"] : ["alert"]);
  const [raised] = await sql<
    [{ n: number }]
  >`select count(*) as n from rule_verdicts v where v.rule_id = ${immediateId} and v.outcome = 'raised'`;
  expect(raised.n).toBe(withPeople.length);
}

/** A backtest raises the same alerts, at the picture: a live evaluation may have waited. */
async function checkBacktest(ruleId: string): Promise<void> {
  const { events } = await desk.ask("backtestRule", { params: { id: ruleId }, body: { limit: 1000 } });
  const raised = (await desk.alerts()).filter(({ rule_id }) => rule_id === ruleId);
  const ids = events.filter(({ alert }) => alert).map(({ event_id }) => event_id);
  expect(ids.toSorted((a, b) => a - b)).toEqual(raised.map(({ event_id }) => event_id).toSorted((a, b) => a - b));
  for (const { event_id, raised_at } of events)
    expect(raised_at <= (raised.find((alert) => alert.event_id === event_id)?.created_at ?? "")).toBe(true);
}

it("visits: whatever crashes, a visit is one event with one alert of each rule, and at most one update", { timeout: 120_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 24 }), play), { numRuns: 15 });
});
