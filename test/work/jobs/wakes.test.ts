import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "../../../src/platform/database/database.ts";
import { reviveDeadJobs } from "../../../src/work/jobs/dead-letters-repository.ts";
import { insertDeliverJobs, promoteChannel } from "../../../src/work/jobs/deliver-repository.ts";
import {
  addJobs,
  claimNextJobs,
  freeAbandonedJobs,
  type NewJob,
  promoteAllJobs,
  queueNames,
  requeueJob,
} from "../../../src/work/jobs/jobs-repository.ts";
import { promoteFirstTries, promoteJobs } from "../../../src/work/jobs/promote-repository.ts";
import { appendToJournal } from "../../../src/work/journal/journal.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";

const now = new Date("2026-03-01T10:00:00Z");
const later = new Date("2026-03-01T11:00:00Z");
const all = queueNames.map((queue) => `jobs:${queue}`);

let database: TestDatabase;
let received: string[] = [];
beforeAll(async () => {
  database = await testDatabase();
  database.db.onCommitted((note) => received.push(note));
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.db.query((sql) => emptyTables(sql, "jobs, journal"));
  received = [];
});

const job = (subject: string, availableAt = now): NewJob => ({ subject, priority: 0, position: now, availableAt });
/** Runs the work and returns its notes only. */
async function notesOf(work: (sql: Sql) => Promise<unknown>): Promise<readonly string[]> {
  received = [];
  await database.db.transaction(work);
  return received;
}
const add = (...jobs: readonly NewJob[]) => database.db.query((sql) => addJobs(sql, "analyze", jobs));
const sending = (sql: Sql) => ({ notificationId: sql`n.id`, channel: sql`n.channel`, channelId: sql`null::uuid` });

describe("wake notes", () => {
  it("wake notes: a new job wakes its queue, and an existing one wakes no worker", async () => {
    expect(await notesOf((sql) => addJobs(sql, "detect", [job("1"), job("2")]))).toEqual(["jobs:detect"]);
    expect(await notesOf((sql) => addJobs(sql, "detect", [job("2")]))).toEqual([]);
    expect(await notesOf((sql) => addJobs(sql, "detect", []))).toEqual([]);
  });

  it("wake notes: a requeued job wakes its queue, and a running one wakes no worker", async () => {
    expect(await notesOf((sql) => requeueJob(sql, "analyze", job("1")))).toEqual(["jobs:analyze"]);
    expect(await notesOf((sql) => requeueJob(sql, "analyze", job("1")))).toEqual(["jobs:analyze"]);
    const processId = "00000000-0000-4000-8000-000000000001";
    await database.db.query((sql) => claimNextJobs(sql, { queue: "analyze", processId, now }, 1));
    expect(await notesOf((sql) => requeueJob(sql, "analyze", job("1")))).toEqual([]);
    expect(await notesOf(freeAbandonedJobs)).toEqual(all);
    expect(await notesOf(freeAbandonedJobs)).toEqual([]);
  });

  it("wake notes: a job that is brought forward wakes its queue", async () => {
    await add(job("1", later));
    expect(await notesOf((sql) => promoteFirstTries(sql, "analyze", ["1"], now))).toEqual(["jobs:analyze"]);
    expect(await notesOf((sql) => promoteFirstTries(sql, "analyze", ["1"], now))).toEqual([]);
    await add(job("2", later));
    expect(await notesOf((sql) => promoteJobs(sql, "analyze", now))).toEqual(["jobs:analyze"]);
    expect(await notesOf((sql) => promoteJobs(sql, "analyze", now))).toEqual([]);
    await add(job("3", later));
    expect(await notesOf((sql) => promoteAllJobs(sql, now))).toEqual(all);
    expect(await notesOf((sql) => promoteAllJobs(sql, now))).toEqual([]);
  });

  it("wake notes: a revived dead letter wakes its queue", async () => {
    await add(job("1"));
    const revive = (sql: Sql) => reviveDeadJobs(sql, "analyze", { jobId: undefined, closed: [], limit: 10, now });
    expect(await notesOf(revive)).toEqual([]);
    await database.db.query((sql) => sql`update jobs set status = 'dead'`);
    expect(await notesOf(revive)).toEqual(["jobs:analyze"]);
  });

  it("wake notes: a message to send wakes the delivery worker, also when its channel works again", async () => {
    const insert = (sql: Sql) => sql`${insertDeliverJobs(sql, sending(sql), later)} from (values (1, 'email')) as n (id, channel)`;
    expect(await notesOf(insert)).toEqual(["jobs:deliver"]);
    expect(await notesOf((sql) => promoteChannel(sql, { channel: "email", channelId: null }, now))).toEqual(["jobs:deliver"]);
    expect(await notesOf((sql) => promoteChannel(sql, { channel: "email", channelId: null }, now))).toEqual([]);
  });

  it("wake notes: a journal entry wakes the publisher", async () => {
    const entry = { type: "event.deleted" as const, data: { id: 1 } };
    expect(await notesOf((sql) => appendToJournal(sql, [entry], now))).toEqual(["journal"]);
    expect(await notesOf((sql) => appendToJournal(sql, [], now))).toEqual([]);
  });

  it("wake notes: a transaction that rolls back wakes no worker", async () => {
    received = [];
    const failing = database.db.transaction(async (sql) => {
      await addJobs(sql, "detect", [job("9")]);
      await appendToJournal(sql, [{ type: "event.deleted", data: { id: 9 } }], now);
      throw new Error("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    expect(received).toEqual([]);
  });
});
