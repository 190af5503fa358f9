import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { takeOver, thisProcess } from "../../../daemon/cluster/own-process.ts";
import { addJobs, claimNextJobs } from "../../../src/work/jobs/jobs-repository.ts";
import { livingPeers, type ProcessRow, recordHeartbeat, removeProcesses } from "../../../src/work/jobs/processes-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
beforeEach(() => database.db.query((sql) => emptyTables(sql, "jobs, processes")));
afterAll(() => database.close());

const process1 = (changes: Partial<ProcessRow> = {}): ProcessRow => ({ ...thisProcess(randomUUID(), "1"), ...changes });
/** A process that runs a job. */
const claims = async (row: ProcessRow): Promise<void> => {
  await database.db.query(async (sql) => {
    await recordHeartbeat(sql, row);
    const now = new Date();
    await addJobs(sql, "detect", [{ subject: row.processId, priority: 0, position: now, availableAt: new Date(0) }]);
    await claimNextJobs(sql, { queue: "detect", processId: row.processId, now }, 1);
  });
};
const heldBy = async (): Promise<readonly string[]> =>
  (await database.db.query((sql) => sql<{ by: string }[]>`select j.claimed_by::text as by from jobs j where j.status = 'running'`)).map(
    ({ by }) => by,
  );
/** Sets the age of a process's heartbeat. */
const silentFor = (row: ProcessRow, seconds: number) =>
  database.db.query(
    (sql) => sql`update processes p set heartbeat_at = now() - make_interval(secs => ${seconds}) where p.process_id = ${row.processId}`,
  );
const start = () => takeOver(database.db, process1(), false, new Date());

test("a start frees the jobs of a killed process on this machine", async () => {
  const killed = process1({ pid: 2 ** 30 });
  await claims(killed);
  expect(await start()).toBe(1);
  expect(await heldBy()).toEqual([]);
});

test.each([
  ["with a number that runs here", { pid: process.ppid }],
  ["on another machine of the same name", { pid: 2 ** 30, machine: "another" }],
  ["with our number in another container of the same name", { machine: "another" }],
  ["of a version that does not say where it is", { pid: 2 ** 30, machine: null }],
])("a start keeps the jobs of a living neighbour %s", async (_, changes) => {
  const neighbour = process1(changes);
  await claims(neighbour);
  expect(await start()).toBe(0);
  expect(await heldBy()).toEqual([neighbour.processId]);
});

test("the start of a second daemon in the same process leaves the first one running", async () => {
  const first = process1();
  await takeOver(database.db, first, false, new Date());
  await claims(first);
  expect(await start()).toBe(0);
  expect(await heldBy()).toEqual([first.processId]);
});

test("a silent process is removed after 3 s if its session is gone, and after 15 s if its session remains", async () => {
  const [session] = await database.db.query(
    (sql) => sql<[{ pid: number; startedAt: string }]>`
      select a.pid, a.backend_start::text as "startedAt" from pg_stat_activity a where a.pid = pg_backend_pid()`,
  );
  const says = { roles: ["detect"], singletons: [], report: {} };
  const [withSession, without] = [process1(), process1()];
  await database.db.query(async (sql) => {
    await recordHeartbeat(sql, withSession, { ...says, session });
    await recordHeartbeat(sql, without, { ...says, session: { ...session, startedAt: "2000-01-01" } });
  });
  await Promise.all([silentFor(withSession, 4), silentFor(without, 4)]);
  const alive = async () => (await database.db.query(livingPeers)).map(({ processId }) => processId);
  expect(await database.db.query((sql) => removeProcesses(sql, [], false))).toBe(0);
  expect(await database.db.query((sql) => removeProcesses(sql, [], true))).toBe(1);
  expect(await alive()).toEqual([withSession.processId]);
  await silentFor(withSession, 16);
  expect(await database.db.query((sql) => removeProcesses(sql, [], true))).toBe(1);
});
