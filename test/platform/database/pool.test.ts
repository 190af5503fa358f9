// Over 400 lines: the guarantees of a pool, tested on one database with dedicated tables.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { DatabaseUnavailable, isUniqueViolation, OutcomeUnknown } from "../../../src/platform/database/pg-errors.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { timed } from "../../support/timed.ts";

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await testDatabase({ migrated: false, max: 3 });
  db = database.db;
  await db.query((sql) => sql`create table notes (id integer primary key, text text not null)`);
  await db.query((sql) => sql`create table tags (note_id integer references notes (id) deferrable initially deferred)`);
});
afterAll(() => database.close());

/** Ends the session of `sql` from another one. */
async function terminate(pid: number): Promise<void> {
  const admin = openPool({ url: inject("testServerUrl") }, { max: 1, log: silentLog });
  await admin.query((sql) => sql`select pg_terminate_backend(${pid}, 2000)`);
  await admin.close();
}

async function countNotes(id: number): Promise<number> {
  const [row] = await db.query((sql) => sql<[{ n: number }]>`select count(*) as n from notes where notes.id = ${id}`);
  return row.n;
}

describe("pool values", () => {
  test("pool values: are returned with their type", async () => {
    const at = new Date("2026-03-01T10:20:30.456Z");
    const [row] = await db.query(
      (sql) => sql`
        select
          count(*) as count, 9007199254740991::bigint as large, ${at}::timestamptz as at, ${sql.json({ a: [1, { b: null }] })}::jsonb as object,
          ${sql.json([true, false])}::jsonb as list, ${["a", 'quote " and \\', "null", "", "{,}"]}::text[] as texts, ${[1, null, 3]}::int[] as ints,
          ${sql.array([at])}::timestamptz[] as dates, ${sql.array([true, false])}::boolean[] as flags, '{{1,2},{3,4}}'::bigint[] as nested,
          ${[]}::text[] as empty, ${Buffer.from("é")}::bytea as bytes, 1.50::numeric as amount, null::text as nothing, true as flag`,
    );
    expect(row).toEqual({
      count: 1,
      large: 9007199254740991,
      at,
      object: { a: [1, { b: null }] },
      list: [true, false],
      texts: ["a", 'quote " and \\', "null", "", "{,}"],
      ints: [1, null, 3],
      dates: [at],
      flags: [true, false],
      nested: [
        [1, 2],
        [3, 4],
      ],
      empty: [],
      bytes: Buffer.from("é"),
      amount: "1.50",
      nothing: null,
      flag: true,
    });
  });

  test("pool values: a plain object may be written to a jsonb column", async () => {
    const written = await db.transaction(async (sql) => {
      await sql`create temporary table facts (value jsonb) on commit drop`;
      await sql`insert into facts (value) values (${{ model_name: "x", at: [1] } as never})`;
      return sql`select facts.value, facts.value ->> 'model_name' as name from facts`;
    });
    expect(written[0]).toEqual({ value: { model_name: "x", at: [1] }, name: "x" });
  });

  test("pool values: undefined is refused", async () => {
    await expect(db.query((sql) => sql`select ${undefined as never}::text`)).rejects.toThrow(/undefined/i);
  });
});

describe("pool transactions", () => {
  test("pool transactions: commit on success and return the result", async () => {
    const result = await db.transaction(async (sql) => {
      await sql`insert into notes (id, text) values (1, 'one')`;
      return "done";
    });
    expect(result).toBe("done");
    expect(await countNotes(1)).toBe(1);
  });

  test("pool transactions: an error rolls back and is passed on unchanged", async () => {
    const failure = new Error("changed my mind");
    await expect(
      db.transaction(async (sql) => {
        await sql`insert into notes (id, text) values (2, 'two')`;
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await countNotes(2)).toBe(0);
  });

  test("pool transactions: a failed statement that was caught does not count as success", async () => {
    await expect(
      db.transaction(async (sql) => {
        await sql`insert into notes (id, text) values (3, 'three')`;
        await sql`select 1 / 0`.catch(() => undefined);
      }),
    ).rejects.toThrow(/rolled back/);
    expect(await countNotes(3)).toBe(0);
  });

  test("pool transactions: two simultaneous failures reject once, and the connection remains usable", async () => {
    await expect(db.transaction((sql) => Promise.all([sql`select 1 / 0`, sql`select nonsense`]))).rejects.toThrow(/division by zero/);
    await Promise.all(Array.from({ length: 6 }, () => db.query((sql) => sql`select 1`)));
  });

  test("pool transactions: a constraint checked at commit rejects with its error", async () => {
    const error = await db.transaction((sql) => sql`insert into tags (note_id) values (999)`).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "23503" });
  });

  test("pool transactions: a statement after the end of its transaction is refused", async () => {
    const leaked = await db.transaction(async (sql) => ({ sql }));
    expect(() => leaked.sql`select 1`).toThrow(/after its transaction/);
  });

  test("pool transactions: a connection lost in the middle rejects as unavailable, and nothing is stored", async () => {
    const error = await db
      .transaction(async (sql) => {
        await sql`insert into notes (id, text) values (4, 'four')`;
        const [own] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
        await terminate(own.pid);
        await sql`insert into notes (id, text) values (5, 'five')`;
      })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(error).not.toBeInstanceOf(OutcomeUnknown);
    expect((await countNotes(4)) + (await countNotes(5))).toBe(0);
  });

  test("pool transactions: a connection lost before the commit means not committed", async () => {
    const error = await db
      .transaction(async (sql) => {
        const [own] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
        await sql`insert into notes (id, text) values (6, 'six')`;
        await terminate(own.pid);
        await new Promise((resolve) => setTimeout(resolve, 50));
      })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(error).not.toBeInstanceOf(OutcomeUnknown);
    expect(await countNotes(6)).toBe(0);
  });

  test("pool transactions: a connection lost during the commit rejects as unknown", async () => {
    await db.query(async (sql) => {
      await sql`
        create or replace function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(20); return null; end $$`;
      await sql`create table slow (id integer)`;
      await sql`create constraint trigger dawdling after insert on slow deferrable initially deferred for each row execute function dawdle()`;
    });
    let pid = 0;
    const outcome = db
      .transaction(async (sql) => {
        const [own] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
        pid = own.pid;
        await sql`insert into slow (id) values (1)`;
      })
      .catch((caught: unknown) => caught);
    await expect
      .poll(
        async () =>
          (await db.query((sql) => sql`select 1 from pg_stat_activity a where a.pid = ${pid} and a.wait_event = 'PgSleep'`)).length,
      )
      .toBe(1);
    await terminate(pid);
    expect(await outcome).toBeInstanceOf(OutcomeUnknown);
  });

  test("pool transactions: connections that died while idle are replaced without an error", async () => {
    const pids = await Promise.all(
      Array.from({ length: 3 }, () =>
        db.query(async (sql) => {
          const [own] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid, pg_sleep(0.05)`;
          return own.pid;
        }),
      ),
    );
    await Promise.all(pids.map(terminate));
    await Promise.all(Array.from({ length: 6 }, () => db.transaction((sql) => sql`select 1`)));
  });
});

test("pool transactions: the sessions of a peak are ended after it, except one", async () => {
  const pool = openPool({ url: inject("testServerUrl") }, { max: 3, log: silentLog, idleMs: 100 });
  // Each keeps its session until all three have one
  const rush = () =>
    Promise.all(
      Array.from({ length: 3 }, () =>
        pool.transaction(async (sql) => {
          await sql`select 1`;
          await eventually(() => pool.pool.total_connections === 3, { what: "three sessions" });
        }),
      ),
    );
  try {
    for (const _ of [1, 2]) {
      await rush();
      await eventually(() => pool.pool.total_connections === 1, { what: "the end of the others" });
    }
    // A session in constant use stays
    const pids = new Set<number>();
    const until = performance.now() + 400;
    while (performance.now() < until) {
      const [own] = await pool.query((sql) => sql<[{ pid: number }]>`select pg_backend_pid() as pid, pg_sleep(0.01)`);
      pids.add(own.pid);
    }
    expect(pids.size).toBe(1);
    expect(pool.pool).toMatchObject({ checkedin: 1, checkedout: 0, total_connections: 1 });
  } finally {
    await pool.close();
  }
});

test("pool transactions: an old session is replaced by a new one without a wait", async () => {
  const pool = openPool({ url: inject("testServerUrl") }, { max: 2, log: silentLog, lifetimeMs: 100 });
  try {
    const pids = new Set<number>();
    const until = performance.now() + 500;
    const worker = async (): Promise<void> => {
      while (performance.now() < until) {
        const [own] = await pool.transaction((sql) => sql<[{ pid: number }]>`select pg_backend_pid() as pid, pg_sleep(0.01)`);
        pids.add(own.pid);
      }
    };
    await Promise.all([worker(), worker(), worker()]);
    expect(pids.size).toBeGreaterThan(2);
    expect(pool.pool.total_connections).toBeLessThanOrEqual(2);
  } finally {
    await pool.close();
  }
});

describe("pool errors", () => {
  test("pool errors: unique violation", async () => {
    await db.query((sql) => sql`insert into notes (id, text) values (10, 'ten')`);
    const error = await db.query((sql) => sql`insert into notes (id, text) values (10, 'again')`).catch((caught: unknown) => caught);
    expect(isUniqueViolation(error)).toBe(true);
  });

  test("pool errors: statement timeout", async () => {
    const error = await db
      .transaction(async (sql) => {
        await sql`set local statement_timeout = 20`;
        await sql`select pg_sleep(5)`;
      })
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "57014" });
  });
});

describe("pool queue", () => {
  test("pool queue: serves in order of arrival, with at most the permitted connections", async () => {
    const order: number[] = [];
    const work = Array.from({ length: 12 }, (_, at) =>
      db.query(async (sql) => {
        order.push(at);
        await sql`select pg_sleep(0.01)`;
      }),
    );
    expect(db.pool.waiting).toBeGreaterThan(0);
    await Promise.all(work);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(db.pool).toEqual({ size: 3, overflow: 0, checkedin: 3, checkedout: 0, total_connections: 3, waiting: 0 });
  });

  test("pool queue: counters show the connections in use", async () => {
    await db.query(async (sql) => {
      await sql`select 1`;
      expect(db.pool).toMatchObject({ checkedin: 2, checkedout: 1 });
    });
  });

  test("pool queue: a thousand short queries through three connections all succeed", async () => {
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, at) => db.query(async (sql) => (await sql<[{ x: number }]>`select ${at}::int as x`)[0].x)),
    );
    expect(answers).toEqual(Array.from({ length: 1000 }, (_, at) => at));
  });

  test("pool queue: closing lets work finish, refuses new work, and may be called twice", async () => {
    const pool = openPool({ url: database.url }, { max: 1, log: silentLog });
    const slow = pool.query((sql) => sql`select pg_sleep(0.6), 7 as x`);
    await expect.poll(() => pool.pool.checkedout).toBe(1);
    const queued = pool.query((sql) => sql`select 1`).catch((caught: unknown) => caught);
    const closed = Promise.all([pool.close(), pool.close()]);
    expect((await slow)[0]?.["x"]).toBe(7);
    await closed;
    expect(await queued).toBeInstanceOf(DatabaseUnavailable);
    await expect(pool.query((sql) => sql`select 1`)).rejects.toThrow(DatabaseUnavailable);
    expect(pool.pool.total_connections).toBe(0);
  });

  test("pool queue: reports every statement that is sent", async () => {
    const texts: string[] = [];
    const pool = openPool({ url: database.url }, { max: 1, log: silentLog, onStatement: (text) => texts.push(text) });
    await pool.transaction((sql) => sql`select ${1}::int as one`);
    await pool.close();
    expect(texts.slice(-3)).toEqual(["begin", "select $1::int as one", "commit"]);
  });

  test("pool queue: a server without a free connection only delays callers that can share one", async () => {
    const role = `few_${process.pid}`;
    await db.query((sql) => sql.unsafe(`create role ${role} login password 'few' connection limit 1`));
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: "few" });
    const pool = openPool({ url: url.href }, { max: 3, log: silentLog });
    await Promise.all(Array.from({ length: 6 }, () => pool.query((sql) => sql`select pg_sleep(0.5)`)));
    expect(pool.pool.total_connections).toBe(1);
    await pool.close();
    await db.query((sql) => sql.unsafe(`drop role ${role}`));
  });
});

describe("unreachable server", () => {
  test("unreachable server: is reported within a few seconds, with its address and without the password", timed, async () => {
    const pool = openPool({ url: "postgres://somebody:secret@127.0.0.1:1/nowhere" }, { max: 2, log: silentLog });
    const error = (await pool.query((sql) => sql`select 1`).catch((caught: unknown) => caught)) as DatabaseUnavailable;
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(error.kind).toBe("unavailable");
    expect(error.message).toContain("127.0.0.1:1");
    expect(error.message).not.toContain("secret");
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
    const begun = performance.now();
    await expect(pool.query((sql) => sql`select 1`)).rejects.toThrow(DatabaseUnavailable);
    expect(performance.now() - begun).toBeLessThan(500);
    await pool.close();
  });

  test("unreachable server: a server that connects but never replies times out", async () => {
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
    await once(mute, "listening");
    const { port } = mute.address() as AddressInfo;
    const pool = openPool({ url: `postgres://somebody@127.0.0.1:${port}/x` }, { max: 1, log: silentLog });
    await expect(pool.query((sql) => sql`select 1`)).rejects.toThrow(/did not accept statements within 5000 ms/);
    await pool.close();
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  test("unreachable server: a wrong password or database is reported at once, in the server's words", async () => {
    for (const [part, value, words] of [
      ["password", "wrong", /password authentication failed.*; correct DATABASE_URL/],
      ["pathname", "/no_such_database", /does not exist.*; correct DATABASE_URL/],
    ] as const) {
      const url = new URL(database.url);
      url[part] = value;
      const pool = openPool({ url: url.href }, { max: 2, log: silentLog });
      await expect(pool.query((sql) => sql`select 1`)).rejects.toThrow(words);
      await pool.close();
    }
  });

  test("unreachable server: fails if required TLS is missing, but not if TLS is only preferred", async () => {
    const required = openPool({ url: `${database.url}?sslmode=require` }, { max: 1, log: silentLog });
    await expect(required.query((sql) => sql`select 1`)).rejects.toThrow(/does not speak TLS/);
    await required.close();
    const preferred = openPool({ url: `${database.url}?sslmode=prefer` }, { max: 1, log: silentLog });
    await preferred.query((sql) => sql`select 1`);
    await preferred.close();
  });

  test.each([
    ["http://x/y", /postgres:\/\//],
    ["not a url", /is not a URL/],
    ["postgres://u:geheim@a,b/c", /DATABASE_URL/],
    ["postgres://u:geheim@h/d?sslmode=sometimes", /sslmode=sometimes/],
  ])("unreachable server: %s is refused as DATABASE_URL", (url, words) => {
    expect(() => openPool({ url }, { max: 1, log: silentLog })).toThrow(words);
    expect(() => openPool({ url }, { max: 1, log: silentLog })).not.toThrow(/geheim/);
  });
});

describe("listen", () => {
  test("listen: receives its channel, and reports when notifications may be lost", async () => {
    const heard: string[] = [];
    let ready = 0;
    const stop = await db.listen(
      "news",
      (payload) => heard.push(payload),
      () => {
        ready += 1;
      },
    );
    const other: string[] = [];
    const stopOther = await db.listen("Other \"channel'.x", (payload) => other.push(payload));
    expect(ready).toBe(1);
    await db.query(async (sql) => {
      await sql`select pg_notify('news', 'one')`;
      await sql`select pg_notify(${"Other \"channel'.x"}, 'two')`;
    });
    await expect.poll(() => [heard, other]).toEqual([["one"], ["two"]]);

    const [listener] = await db.query(
      (sql) => sql<[{ pid: number }]>`select a.pid from pg_stat_activity a where a.query like 'listen%' and a.datname = current_database()`,
    );
    await terminate(listener.pid);
    await expect.poll(() => ready).toBe(2);
    await db.query((sql) => sql`select pg_notify('news', 'three')`);
    await expect.poll(() => heard).toEqual(["one", "three"]);

    await stop();
    await db.query(async (sql) => {
      await sql`select pg_notify('news', 'unheard')`;
      await sql`select pg_notify(${"Other \"channel'.x"}, 'last')`;
    });
    await expect.poll(() => other).toEqual(["two", "last"]);
    expect(heard).toEqual(["one", "three"]);
    await stopOther();
  });

  test("listen: a handler that throws does not end it", async () => {
    let calls = 0;
    const stop = await db.listen("fragile", () => {
      calls += 1;
      throw new Error("handler");
    });
    await db.query((sql) => sql`select pg_notify('fragile', '')`);
    await db.query((sql) => sql`select pg_notify('fragile', '')`);
    await expect.poll(() => calls).toBe(2);
    await stop();
  });
});
