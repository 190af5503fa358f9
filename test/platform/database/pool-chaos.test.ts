import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/platform/database/embedded-postgres.ts";
import { DatabaseUnavailable, OutcomeUnknown } from "../../../src/platform/database/pg-errors.ts";
import { openPool } from "../../../src/platform/database/pool.ts";

let dataDir: string;
let server: EmbeddedPostgres;
const start = () => startEmbeddedPostgres({ dataDir, log: silentLog, settings: { fsync: "off" } });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "homesec-chaos-"));
  server = await start();
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const terminations = 30;
const restarts = 3;
const writers = 8;

test(`pool: ${terminations} sessions killed and ${restarts} server restarts under load leave each acknowledged row exactly once`, async ({
  annotate,
}) => {
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);

  const pool = openPool(server, { max: 4, log: silentLog });
  const saboteur = openPool(server, { max: 1, log: silentLog });
  await pool.query(async (sql) => {
    await sql`create table marks (id bigint not null)`;
    await sql`create table tally (only_row boolean primary key default true, n bigint not null)`;
    await sql`insert into tally (n) values (0)`;
  });
  let listening = 0;
  let heard = "";
  const stopListening = await pool.listen(
    "marks",
    (payload) => {
      heard = payload;
    },
    () => {
      listening += 1;
    },
  );

  const acknowledged: number[] = [];
  const unknown: number[] = [];
  const refused: number[] = [];
  const surprises: unknown[] = [];
  let next = 0;
  let stopping = false;
  let lastSuccess = 0;
  const writer = async () => {
    while (!stopping) {
      next += 1;
      const id = next;
      try {
        await pool.transaction(async (sql) => {
          await Promise.all([sql`insert into marks (id) values (${id})`, sql`select pg_notify('marks', ${String(id)})`]);
          await sql`update tally set n = n + 1`;
        });
        acknowledged.push(id);
        lastSuccess = performance.now();
      } catch (error) {
        if (error instanceof OutcomeUnknown) unknown.push(id);
        else if (error instanceof DatabaseUnavailable) refused.push(id);
        else surprises.push(error);
        await pause(5);
      }
      if (id % 5 === 0)
        await pool
          .query((sql) => sql`select count(*) from marks`)
          .catch((error) => error instanceof DatabaseUnavailable || surprises.push(error));
    }
  };
  const load = Array.from({ length: writers }, writer);

  const killOne = () =>
    saboteur
      .query(
        (sql) => sql`
          select pg_terminate_backend(a.pid)
          from pg_stat_activity a
          where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
          order by random()
          limit 1`,
      )
      .catch(() => undefined);
  const recoveries: number[] = [];
  for (let round = 0; round < restarts; round += 1) {
    for (let kill = 0; kill < terminations / restarts; kill += 1) {
      await killOne();
      await pause(Math.random() * 60);
    }
    await server.stop();
    await pause(300 + round * 1_500);
    server = await start();
    const back = performance.now();
    await expect.poll(() => lastSuccess > back, { timeout: 5_000, interval: 5 }).toBe(true);
    recoveries.push(lastSuccess - back);
  }
  // on a slow machine the load goes on until it was one
  await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(200);
  await pause(200);
  stopping = true;
  await Promise.all(load);

  const rows = await pool.query((sql) => sql<{ id: number }[]>`select marks.id from marks`);
  const [tally] = await pool.query((sql) => sql<[{ n: number }]>`select t.n from tally t`);
  const present = new Set(rows.map((row) => row.id));
  expect(surprises).toEqual([]);
  expect(present.size).toBe(rows.length);
  expect(tally.n).toBe(rows.length);
  expect(acknowledged.filter((id) => !present.has(id))).toEqual([]);
  expect(refused.filter((id) => present.has(id))).toEqual([]);
  expect(rows.length - acknowledged.length).toBeLessThanOrEqual(unknown.length);
  expect(Math.max(...recoveries)).toBeLessThan(2_000);
  // The writers reconnect before the listener must: between two restarts it may have been missing, but now it is back
  expect(listening).toBeGreaterThan(1);
  await expect
    .poll(
      async () => {
        await pool.query((sql) => sql`select pg_notify('marks', 'after all')`);
        return heard;
      },
      { timeout: 10_000 },
    )
    .toBe("after all");

  await stopListening();
  await Promise.all([pool.close(), saboteur.close()]);
  await pause(50);
  process.off("uncaughtException", onFault);
  process.off("unhandledRejection", onFault);
  expect(faults).toEqual([]);
  await annotate(
    `acknowledged ${acknowledged.length}, refused ${refused.length}, unknown ${unknown.length}, recovered after ${recoveries.map(Math.round).join(", ")} ms`,
  );
});

test("pool: the loss of the server while connections open, close and listen throws nothing", async () => {
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
  for (let round = 0; round < 5; round += 1) {
    const pool = openPool(server, { max: 6, log: silentLog });
    const work = [
      ...Array.from({ length: 10 }, () => pool.query((sql) => sql`select pg_sleep(0.01)`)),
      pool.listen("any", () => {}),
      pool.query((sql) => sql`select generate_series(1, 200000)`),
      pool.query(async (sql) => {
        for await (const rows of sql`select generate_series(1, 10000) as x`.cursor(100)) await pause(rows.length / 100);
      }),
    ].map((promise) =>
      promise.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    await pause(round * 6);
    const stopped = server.stop();
    const closed = round % 2 === 0 ? pool.close() : undefined;
    await stopped;
    server = await start();
    const outcomes = await Promise.all(work);
    expect(outcomes.filter((outcome) => outcome !== undefined && !(outcome instanceof DatabaseUnavailable))).toEqual([]);
    await (closed ?? pool.close());
  }
  await pause(50);
  process.off("uncaughtException", onFault);
  process.off("unhandledRejection", onFault);
  expect(faults).toEqual([]);
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
