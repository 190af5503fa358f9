import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  addJobs,
  buryJob,
  type ClaimedJob,
  claimNextJobs,
  countJobs,
  demoteLateJobs,
  finishJob,
  freeAbandonedJobs,
  freeOrphanedJobs,
  freeOverdueJobs,
  LeaseLost,
  offerJobs,
  priorities,
  promoteAllJobs,
  releaseJob,
  withdrawOffer,
} from "../../../src/work/jobs/jobs-repository.ts";
import { recordHeartbeat, removeProcesses } from "../../../src/work/jobs/processes-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";

const now = new Date("2026-03-01T12:00:00Z");
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const me = randomUUID();
let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.db.query((sql) => emptyTables(sql, "jobs, processes"));
  await database.db.query((sql) => recordHeartbeat(sql, { processId: me, host: "here", pid: 1, version: "1" }));
});

const add = (jobs: readonly { subject: string; priority?: number; at?: number; availableAt?: Date }[]) =>
  database.db.query((sql) =>
    addJobs(
      sql,
      "detect",
      jobs.map(({ subject, priority = priorities.live, at = 0, availableAt = now }) => ({
        subject,
        priority,
        position: later(at),
        availableAt,
      })),
    ),
  );
const claim = (limit: number, processId = me, at = now) =>
  database.db.query((sql) => claimNextJobs(sql, { queue: "detect", processId, now: at }, limit));

describe("job queue: claims", () => {
  test("takes live work before backlog, earlier before later, and nothing that may not start yet", async () => {
    await add([
      { subject: "backlog", priority: priorities.backlog, at: -100 },
      { subject: "second", at: 2 },
      { subject: "first", at: 1 },
      { subject: "not yet", availableAt: later(10) },
    ]);
    const claimed = await claim(10);
    expect(claimed.map(({ subject }) => subject)).toEqual(["first", "second", "backlog"]);
    expect(claimed.every(({ attempts }) => attempts === 1)).toBe(true);
    expect((await claim(10, me, later(10))).map(({ subject }) => subject)).toEqual(["not yet"]);
  });

  test("200 jobs and 8 claimers at once: each job is claimed exactly once", async () => {
    await add(Array.from({ length: 200 }, (_, n) => ({ subject: String(n) })));
    const had = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const mine: string[] = [];
        for (;;) {
          const jobs = await claim(7, randomUUID());
          if (jobs.length === 0) return mine;
          mine.push(...jobs.map(({ subject }) => subject));
        }
      }),
    );
    const all = had.flat();
    expect(all.length).toBe(200);
    expect(new Set(all).size).toBe(200);
  });

  test("after a night without its service, live jobs go first, then deferred ones in their order, then backlog", async () => {
    const night = Array.from({ length: 5 }, (_, n) => ({ subject: `night ${n}`, at: n }));
    await add([...night, { subject: "backlog", priority: priorities.backlog, at: -9_000 }, { subject: "morning", at: 30_000 }]);
    await database.db.query((sql) => demoteLateJobs(sql, later(600)));
    expect((await claim(1)).map(({ subject }) => subject)).toEqual(["night 0"]);
    await database.db.query((sql) => demoteLateJobs(sql, later(30_000)));
    expect((await claim(10)).map(({ subject }) => subject)).toEqual(["morning", "night 1", "night 2", "night 3", "night 4", "backlog"]);
  });

  test("an offered job is offered again after half a minute, or at once if the offer is withdrawn", async () => {
    await add([{ subject: "7" }]);
    const offer = async (at = now) => (await database.db.query((sql) => offerJobs(sql, "detect", at, 10))).map(({ jobId }) => jobId);
    const [jobId] = (await offer()) as [number];
    expect(await offer(later(29))).toEqual([]);
    expect(await offer(later(31))).toEqual([jobId]);
    await database.db.query((sql) => withdrawOffer(sql, jobId));
    expect(await offer(later(32))).toEqual([jobId]);
  });

  test("the same subject is queued once, however often it is added", async () => {
    await add([{ subject: "7" }]);
    await add([{ subject: "7" }]);
    expect((await claim(10)).length).toBe(1);
  });
});

describe("job queue: the end of a job", () => {
  test("finishing a job after the claim was lost fails and is rolled back, even if the same process has claimed the job again", async () => {
    await add([{ subject: "7" }]);
    const [first] = (await claim(1)) as [ClaimedJob];
    const free = () => database.db.query((sql) => freeOverdueJobs(sql, [first]));
    expect(await free()).toBe(1);
    const [second] = (await claim(1)) as [ClaimedJob];
    expect(second).toMatchObject({ jobId: first.jobId, attempts: 2 });
    const end = (job: ClaimedJob) => database.db.transaction((sql) => finishJob(sql, job));
    await expect(end(first)).rejects.toThrow(LeaseLost);
    const how = { availableAt: now, error: null, attempt: "counts" } as const;
    await expect(database.db.transaction((sql) => releaseJob(sql, first, how))).rejects.toThrow(LeaseLost);
    await expect(database.db.transaction((sql) => buryJob(sql, first, "x"))).rejects.toThrow(LeaseLost);
    expect(await free()).toBe(0);
    await end(second);
    await expect(end(second)).rejects.toThrow(LeaseLost);
  });

  test("a release counts as its `attempt` says", async () => {
    await add([{ subject: "7" }]);
    const release = async (attempt: "counts" | "free" | "deferred" | "blamed") => {
      const [job] = (await claim(1)) as [ClaimedJob];
      await database.db.query((sql) => releaseJob(sql, job, { availableAt: now, error: "x", attempt }));
      const [row] = await database.db.query((sql) => sql`select attempts, deferrals, blamed from jobs`);
      return row;
    };
    expect(await release("counts")).toEqual({ attempts: 1, deferrals: 0, blamed: 0 });
    expect(await release("free")).toEqual({ attempts: 1, deferrals: 0, blamed: 0 });
    expect(await release("deferred")).toEqual({ attempts: 1, deferrals: 1, blamed: 0 });
    expect(await release("blamed")).toEqual({ attempts: 1, deferrals: 2, blamed: 1 });
  });

  test("jobs of a process that exited are released; jobs of a running one are not", async () => {
    await add([{ subject: "1" }, { subject: "2", at: 1 }]);
    const gone = randomUUID();
    await claim(1, gone);
    await claim(1);
    expect(await database.db.query((sql) => freeAbandonedJobs(sql))).toBe(1);
    expect((await claim(5)).map(({ subject }) => subject)).toEqual(["1"]);
  });

  test("a process counts as exited after 15 s without a heartbeat, or if its last one is in the future after a clock change; other machines' clocks do not matter", async () => {
    const heard = async (seconds: number): Promise<string> => {
      const processId = randomUUID();
      await database.db.query((sql) => recordHeartbeat(sql, { processId, host: "there", pid: 1, version: "1" }));
      await database.db.query(
        (sql) => sql`update processes set heartbeat_at = now() + ${seconds} * interval '1 second' where process_id = ${processId}`,
      );
      return processId;
    };
    const living = [me, await heard(-13), await heard(13)];
    const gone = [await heard(-16), await heard(3_600)];
    expect(await database.db.query((sql) => removeProcesses(sql, []))).toBe(gone.length);
    const rows = await database.db.query((sql) => sql<{ id: string }[]>`select process_id as id from processes`);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(living));
  });

  test("a job that waits for a time in the future after a clock change can start now", async () => {
    await add([{ subject: "1", availableAt: later(3_600) }]);
    expect(await claim(1)).toEqual([]);
    await database.db.query((sql) => promoteAllJobs(sql, now));
    expect((await claim(1)).map(({ subject }) => subject)).toEqual(["1"]);
  });

  test("a claim whose reply was lost is released without counting; running jobs keep theirs", async () => {
    await add([{ subject: "1" }, { subject: "2", at: 1 }]);
    const [running] = await claim(2);
    expect(await database.db.query((sql) => freeOrphanedJobs(sql, "detect", me, [running?.jobId as number]))).toBe(1);
    expect(await claim(5)).toMatchObject([{ subject: "2", attempts: 1 }]);
    expect(await database.db.query((sql) => freeOrphanedJobs(sql, "detect", me, []))).toBe(2);
  });

  test("a buried job stays visible and is never claimed again", async () => {
    await add([{ subject: "1" }, { subject: "2", availableAt: later(60) }]);
    const [job] = (await claim(1)) as [ClaimedJob];
    await database.db.transaction((sql) => buryJob(sql, job, "unreadable"));
    expect(await claim(5)).toEqual([]);
    const counts = await database.db.query((sql) => countJobs(sql, now));
    expect(counts.detect).toMatchObject({ waiting: 0, deferred: 1, inProgress: 0, dead: 1 });
    expect(counts.analyze.waiting).toBe(0);
  });
});
