import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { notificationDelayMs } from "../../../src/alerting/delivery/backoff.ts";
import type { Channel, Rendered, Stored } from "../../../src/alerting/delivery/channel.ts";
import { createDeliveryEngine } from "../../../src/alerting/delivery/engine.ts";
import type { Outcome } from "../../../src/alerting/delivery/outcome.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { DatabaseUnavailable, OutcomeUnknown } from "../../../src/platform/database/pg-errors.ts";
import { addJobs, type ClaimedJob, claimNextJobs, LeaseLost } from "../../../src/work/jobs/jobs-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

const processId = "00000000-0000-4000-8000-000000000001";
const idOf = ({ subject }: ClaimedJob): string => subject.split(":")[1] ?? "";

interface Item {
  readonly id: string;
  readonly text: string;
}

let database: TestDatabase;
let now: Date;
let sent: string[];
/** Outcomes of the next attempts; the last one repeats. */
let answers: Outcome[];
let render: (item: Item) => Rendered<string> | undefined;
let counted: Stored["counted"][];

beforeAll(async () => {
  database = await testDatabase();
  await database.db.query((sql) => sql`create table test_messages (id text primary key, text text not null, status text, reason text)`);
  await database.db.query((sql) => sql`create table test_attempts (id text not null, answer text not null)`);
});
afterAll(async () => {
  await database.db.query((sql) => sql`drop table test_messages, test_attempts`);
  await database.close();
});

beforeEach(() => {
  now = new Date("2026-07-01T21:31:00Z");
  sent = [];
  answers = [{ kind: "sent", answer: "250 accepted" }];
  render = (item) => ({ kind: "request", request: item.text });
  counted = [];
});
afterEach(async () => {
  await database.db.query((sql) => sql`truncate test_messages, test_attempts, jobs`);
});

/** A channel that sends into an array, stores each attempt, and retries like a notification. */
const channel: Channel<Item, string> = {
  load: async (sql, id) => {
    const [row] = await sql<[Item?]>`select m.id, m.text from test_messages m where m.id = ${id}`;
    return row;
  },
  render: async (item) => render(item),
  send: async (request) => {
    sent.push(request);
    return (answers.length > 1 ? answers.shift() : answers[0]) as Outcome;
  },
  store: async (sql, { id }, result, job) => {
    if (result.kind === "waits") {
      return { job: { kind: "release", availableAt: result.until, error: result.reason, attempt: "free" }, counted: undefined };
    }
    const { outcome, reason } =
      result.kind === "attempted"
        ? { outcome: result.outcome.kind, reason: result.outcome.answer }
        : { outcome: result.as, reason: result.reason ?? "" };
    if (result.kind === "attempted") await sql`insert into test_attempts (id, answer) values (${id}, ${reason})`;
    await sql`update test_messages m set status = ${outcome}, reason = ${reason} where m.id = ${id}`;
    if (result.kind === "attempted" && result.outcome.kind === "again") {
      const delayMs = notificationDelayMs(job.deferrals + 1, result.outcome, 0);
      const availableAt = new Date(result.at.getTime() + delayMs);
      return { job: { kind: "release", availableAt, error: reason, attempt: "deferred" }, counted: "retry" };
    }
    return outcome === "sent"
      ? { job: { kind: "finish" }, counted: "success" }
      : { job: { kind: "bury", error: reason }, counted: "failure" };
  },
  afterCommit: (_item, _result, stored) => {
    counted.push(stored.counted);
    return undefined;
  },
  recovered: () => ({ fields: {}, text: "works again" }),
};

const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000);
const signal = new AbortController().signal;

const engineOn = (db: Database) =>
  createDeliveryEngine(channel, { db, clock: { now: () => now, monotonic: () => now.getTime() }, log: silentLog });

async function queue(id: string, text = "Person at the gate"): Promise<void> {
  await database.db.transaction(async (sql) => {
    await sql`insert into test_messages (id, text) values (${id}, ${text})`;
    await addJobs(sql, "deliver", [{ subject: `test:${id}`, priority: 0, position: now, availableAt: now }]);
  });
}

const claim = () => database.db.query((sql) => claimNextJobs(sql, { queue: "deliver", processId, now }, 10));

async function claimOne(): Promise<ClaimedJob> {
  const [job] = await claim();
  if (!job) throw new Error("no job is due");
  return job;
}

/** Runs the jobs that are due at a time, and returns their number. */
async function work(at = now): Promise<number> {
  now = at;
  const jobs = await claim();
  for (const job of jobs) await engineOn(database.db).run(idOf(job), job, signal);
  return jobs.length;
}

const message = async (id: string) => {
  const [row] = await database.db.query(
    (sql) => sql<[{ status: string | null; reason: string | null }?]>`select m.status, m.reason from test_messages m where m.id = ${id}`,
  );
  return row;
};
const attempts = async (): Promise<readonly string[]> =>
  (await database.db.query((sql) => sql<{ answer: string }[]>`select a.answer from test_attempts a`)).map(({ answer }) => answer);
const jobs = () =>
  database.db.query((sql) => sql<{ status: string; error: string | null }[]>`select j.status, j.last_error as error from jobs j`);

/** The database, with `commit` in place of each transaction's commit. */
const withCommit = (commit: (work: () => Promise<unknown>) => Promise<unknown>): Database => ({
  ...database.db,
  pool: database.db.pool,
  query: (work) => database.db.query(work),
  transaction: async <T>(work: Parameters<typeof database.db.transaction<T>>[0]) =>
    (await commit(() => database.db.transaction(work))) as T,
});

describe("sending", () => {
  it("delivery engine: a message is sent once and its job is finished", async () => {
    await queue("1");
    expect(await work()).toBe(1);
    expect(sent).toEqual(["Person at the gate"]);
    expect(await message("1")).toEqual({ status: "sent", reason: "250 accepted" });
    expect(await attempts()).toEqual(["250 accepted"]);
    expect([await jobs(), await work(later(86_400)), sent.length]).toEqual([[], 0, 1]);
    expect(counted).toEqual(["success"]);
  });

  it("delivery engine: a transient refusal is retried with growing delays until the message is sent", async () => {
    answers = [
      { kind: "again", answer: "451 try later" },
      { kind: "again", answer: "451 try later" },
      { kind: "sent", answer: "250 accepted" },
    ];
    await queue("1");
    await work();
    expect(await jobs()).toEqual([{ status: "pending", error: "451 try later" }]);
    expect([await work(later(29)), await work(later(1))]).toEqual([0, 1]);
    expect([await work(later(59)), await work(later(1))]).toEqual([0, 1]);
    expect(await attempts()).toEqual(["451 try later", "451 try later", "250 accepted"]);
    expect(counted).toEqual(["retry", "retry", "success"]);
    expect(await jobs()).toEqual([]);
  });

  it("delivery engine: a retry waits as long as the other side asked for", async () => {
    answers = [
      { kind: "again", answer: "429", waitMs: 600_000 },
      { kind: "sent", answer: "200" },
    ];
    await queue("1");
    await work();
    expect([await work(later(599)), await work(later(1))]).toEqual([0, 1]);
  });

  it("delivery engine: a permanent refusal is never retried", async () => {
    answers = [{ kind: "failed", answer: "550 no such mailbox" }];
    await queue("1");
    await work();
    expect(await jobs()).toEqual([{ status: "dead", error: "550 no such mailbox" }]);
    expect([await work(later(7 * 86_400)), sent.length]).toEqual([0, 1]);
  });

  it("delivery engine: a refused address is never retried, and nothing is sent to it", async () => {
    render = () => ({ kind: "outcome", outcome: { kind: "failed", answer: "169.254.169.254 is not allowed" } });
    await queue("1");
    await work();
    expect([sent, await work(later(7 * 86_400))]).toEqual([[], 0]);
    expect(await message("1")).toEqual({ status: "failed", reason: "169.254.169.254 is not allowed" });
    expect(await jobs()).toEqual([{ status: "dead", error: "169.254.169.254 is not allowed" }]);
    expect(counted).toEqual(["failure"]);
  });

  it("delivery engine: a message that waits is released without an attempt", async () => {
    const until = later(600);
    render = () => ({ kind: "waits", until, reason: "the mail server is paused" });
    await queue("1");
    await work();
    expect([sent, await attempts(), await jobs()]).toEqual([[], [], [{ status: "pending", error: "the mail server is paused" }]]);
    render = (item) => ({ kind: "request", request: item.text });
    expect([await work(later(599)), await work(later(1)), sent.length]).toEqual([0, 1, 1]);
  });

  it("delivery engine: the job of a deleted message is finished", async () => {
    await queue("1");
    await database.db.query((sql) => sql`delete from test_messages`);
    expect([await work(), await jobs(), sent]).toEqual([1, [], []]);
  });

  it("delivery engine: a message that lost its content is not sent", async () => {
    render = () => undefined;
    await queue("1");
    expect([await work(), await jobs(), sent]).toEqual([1, [], []]);
  });
});

describe("settling", () => {
  it("delivery engine: an outcome is stored when the database returns, and the message is sent once", async () => {
    let commits = 0;
    const db = withCommit(async (commit) => {
      commits += 1;
      if (commits === 1) throw new DatabaseUnavailable("it is restarted");
      return await commit();
    });
    await queue("1");
    const job = await claimOne();
    await engineOn(db).run("1", job, signal);
    expect([commits, sent.length, await attempts(), await jobs()]).toEqual([2, 1, ["250 accepted"], []]);
  });

  it("delivery engine: an attempt is settled once when the answer to its commit is lost", async () => {
    let commits = 0;
    const db = withCommit(async (commit) => {
      commits += 1;
      const done = await commit();
      if (commits === 1) throw new OutcomeUnknown();
      return done;
    });
    await queue("1");
    const job = await claimOne();
    await expect(engineOn(db).run("1", job, signal)).rejects.toThrow(LeaseLost);
    expect([commits, sent.length, await attempts(), await jobs()]).toEqual([2, 1, ["250 accepted"], []]);
    expect(await message("1")).toEqual({ status: "sent", reason: "250 accepted" });
  });

  it("delivery engine: an attempt under a lost lease stores nothing", async () => {
    await queue("1");
    const job = await claimOne();
    await database.db.query((sql) => sql`update jobs j set claims = j.claims + 1`);
    await expect(engineOn(database.db).run("1", job, signal)).rejects.toThrow(LeaseLost);
    expect([await attempts(), await message("1"), counted]).toEqual([[], { status: null, reason: null }, []]);
  });

  it("delivery engine: an answer that arrives during a shutdown is stored", async () => {
    const stop = new AbortController();
    render = (item) => {
      stop.abort(new Error("the daemon stops"));
      return { kind: "request", request: item.text };
    };
    await queue("1");
    await engineOn(database.db).run("1", await claimOne(), stop.signal);
    expect([await attempts(), await jobs()]).toEqual([["250 accepted"], []]);
  });

  it("delivery engine: an attempt without an answer during a shutdown leaves the job to the next start", async () => {
    const stop = new AbortController();
    answers = [{ kind: "again", answer: "aborted" }];
    render = (item) => {
      stop.abort(new Error("the daemon stops"));
      return { kind: "request", request: item.text };
    };
    await queue("1");
    await expect(engineOn(database.db).run("1", await claimOne(), stop.signal)).rejects.toThrow("the daemon stops");
    expect([await attempts(), await jobs()]).toEqual([[], [{ status: "running", error: null }]]);
  });

  it("delivery engine: a message whose attempts came to no outcome becomes a dead letter", async () => {
    await queue("1");
    await engineOn(database.db).stopRetrying("1", await claimOne(), "failed after 5 attempts that never ended");
    expect(await message("1")).toEqual({ status: "failed", reason: "failed after 5 attempts that never ended" });
    expect([sent, await attempts()]).toEqual([[], []]);
    expect(await jobs()).toEqual([{ status: "dead", error: "failed after 5 attempts that never ended" }]);
  });
});
