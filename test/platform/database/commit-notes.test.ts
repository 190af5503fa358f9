import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { noteForCommit } from "../../../src/platform/database/database.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;
let received: string[];
let unsubscribe: () => void;
beforeAll(async () => {
  database = await testDatabase({ migrated: false, max: 2 });
  await database.db.query((sql) => sql`create table rows (id integer primary key)`);
  await database.db.query((sql) => sql`create table links (id integer references rows (id) deferrable initially deferred)`);
});
afterAll(() => database.close());
beforeEach(() => {
  received = [];
  unsubscribe = database.db.onCommitted((note) => received.push(note));
});
afterEach(() => unsubscribe());

describe("commit notes", () => {
  it("commit notes: a transaction's notes arrive once each, after its commit and before it resolves", async () => {
    await database.db.transaction(async (sql) => {
      noteForCommit(sql, "one");
      noteForCommit(sql, "two");
      noteForCommit(sql, "one");
      await sql`insert into rows values (1)`;
      expect(received).toEqual([]);
    });
    expect(received).toEqual(["one", "two"]);
  });

  it("commit notes: a subscriber reads the committed row, on the connection that became free", async () => {
    const pool = openPool({ url: database.url }, { max: 1, log: silentLog });
    const read = new Promise<number>((resolve, reject) => {
      pool.onCommitted(() => {
        pool.query((sql) => sql`select id from rows where id = 2`).then((rows) => resolve(rows.length), reject);
      });
    });
    await pool.transaction(async (sql) => {
      noteForCommit(sql, "row");
      await sql`insert into rows values (2)`;
    });
    expect(await read).toBe(1);
    await pool.close();
  });

  it("commit notes: a query's notes arrive when it resolves, and never when it fails", async () => {
    await database.db.query(async (sql) => {
      await sql`insert into rows values (3)`;
      noteForCommit(sql, "query");
    });
    const failing = database.db.query(async (sql) => {
      noteForCommit(sql, "failed");
      await sql`insert into rows values (3)`;
    });
    await expect(failing).rejects.toThrow("duplicate key");
    expect(received).toEqual(["query"]);
  });

  it("commit notes: a rollback discards them, whether the work, a statement or the commit failed", async () => {
    const thrown = database.db.transaction(async (sql) => {
      noteForCommit(sql, "thrown");
      await sql`insert into rows values (4)`;
      throw new Error("on purpose");
    });
    await expect(thrown).rejects.toThrow("on purpose");
    const caught = database.db.transaction(async (sql) => {
      noteForCommit(sql, "caught");
      await sql`insert into nowhere values (1)`.catch(() => {});
    });
    await expect(caught).rejects.toThrow("rolled back");
    const refused = database.db.transaction(async (sql) => {
      noteForCommit(sql, "refused");
      await sql`insert into links values (99)`;
    });
    await expect(refused).rejects.toThrow("foreign key");
    expect(received).toEqual([]);
  });

  it("commit notes: the commit stands although a subscriber throws, and the other subscribers receive the note", async () => {
    const stopFailing = database.db.onCommitted(() => {
      throw new Error("on purpose");
    });
    const others: string[] = [];
    const stopOthers = database.db.onCommitted((note) => others.push(note));
    await database.db.transaction(async (sql) => noteForCommit(sql, "one"));
    expect([received, others]).toEqual([["one"], ["one"]]);
    stopFailing();
    stopOthers();
    await database.db.transaction(async (sql) => noteForCommit(sql, "two"));
    expect([received, others]).toEqual([["one", "two"], ["one"]]);
  });
});
