import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cursorBatches } from "../../../src/base/async/cursor.ts";
import type { Database, Sql } from "../../../src/platform/database/database.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/pg-errors.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase({ migrated: false, max: 3 });
  db = database.db;
});
afterAll(() => database.close());

const numbers = (count: number) => (sql: Sql) =>
  cursorBatches(sql, sql<{ n: number }[]>`select n from generate_series(1, ${count}::integer) n`, 100);

describe("iterate", () => {
  it("iterate: yields rows in parts, and frees its connection at the end", async () => {
    const sizes: number[] = [];
    for await (const rows of db.iterate(numbers(250))) sizes.push(rows.length);
    expect(sizes).toEqual([100, 100, 50]);
    expect(db.pool.checkedout).toBe(0);
  });

  it.each([
    [0, []],
    [1, [1]],
    [99, [99]],
    [100, [100]],
    [101, [100, 1]],
    [200, [100, 100]],
  ])("iterate: %d rows arrive in batches of %j", async (count, expected) => {
    const sizes: number[] = [];
    for await (const rows of db.iterate(numbers(count))) sizes.push(rows.length);
    expect(sizes).toEqual(expected);
  });

  it("iterate: begins with the first request for a part", async () => {
    const answer = db.iterate(numbers(250));
    expect(db.pool.checkedout).toBe(0);
    await answer.next();
    expect(db.pool.checkedout).toBe(1);
    await answer.return();
    expect(db.pool.checkedout).toBe(0);
  });

  it("iterate: may stop early, and the connection remains usable", async () => {
    for (let round = 0; round < 20; round += 1) {
      for await (const [row] of db.iterate(numbers(100_000))) if (row && row.n > 100 * round) break;
      expect(db.pool.checkedout).toBe(0);
      const [row] = await db.query((sql) => sql<[{ n: number }]>`select 1 as n`);
      expect(row.n).toBe(1);
    }
    const idle = await db.query(
      (sql) => sql`select from pg_stat_activity a where a.datname = current_database() and a.state like '%in transaction%'`,
    );
    expect(idle).toHaveLength(0);
  });

  it("iterate: a failure is reported", async () => {
    const failing = async () => {
      for await (const _ of db.iterate((sql) => cursorBatches(sql, sql`select 1 / (500 - n) from generate_series(1, 1000) n`, 100)));
    };
    await expect(failing()).rejects.toThrow("division by zero");
    expect(db.pool.checkedout).toBe(0);
  });

  it("iterate: uses at most a third of the connections; the next reader waits for a slot", async () => {
    const first = db.iterate(numbers(1000));
    await first.next();
    const second = db.iterate(numbers(1000));
    const part = second.next();
    expect(db.pool.checkedout).toBe(1);
    await first.return();
    expect((await part).value).toHaveLength(100);
    await second.return();
    expect(db.pool.checkedout).toBe(0);
  });

  it("iterate: a lost connection is reported, and the pool continues", async () => {
    const answer = db.iterate((sql) =>
      cursorBatches(sql, sql<{ pid: number }[]>`select pg_backend_pid() as pid from generate_series(1, 1000000)`, 100),
    );
    const { value } = await answer.next();
    await db.query((sql) => sql`select pg_terminate_backend(${value?.[0]?.pid ?? 0})`);
    const rest = async () => {
      for await (const _ of answer);
    };
    await expect(rest()).rejects.toThrow(DatabaseUnavailable);
    await eventually(async () => (await db.query((sql) => sql`select 1`)).length === 1);
    expect(db.pool.checkedout).toBe(0);
  });
});
