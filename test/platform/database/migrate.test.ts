import { appendFile, cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { migrate, migrationStatus } from "../../../src/platform/database/migrate.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { bundled } from "../../support/bundled.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { checkout } from "./opened-database.ts";

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await testDatabase({ migrated: false });
  folder = await mkdtemp(join(tmpdir(), "homesec-migrations-"));
  await writeFile(join(folder, "0001_first.sql"), "create table first (id integer);");
  await writeFile(join(folder, "0002_second.sql"), "create table second (id integer); insert into second (id) values (1);");
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const run = () => migrate(database.db, { folder, log: silentLog, clock: systemClock });
const tables = async () =>
  (
    await database.db.query(
      (sql) => sql<{ name: string }[]>`select t.tablename as name from pg_tables t where t.schemaname = 'public' order by 1`,
    )
  ).map((table) => table.name);

test("migrate: applies each file once and in order; a second run has nothing to do", async () => {
  expect((await migrationStatus(database.db, { folder })).pending.map((file) => file.name)).toEqual(["0001_first.sql", "0002_second.sql"]);
  expect((await run()).map((file) => file.version)).toEqual([1, 2]);
  expect(await tables()).toEqual(["first", "schema_migrations", "second"]);
  expect(await run()).toEqual([]);
  const status = await migrationStatus(database.db, { folder });
  expect(status).toMatchObject({ pending: [], refusal: null });
  expect(status.applied.map((row) => row.name)).toEqual(["0001_first.sql", "0002_second.sql"]);
  expect(Math.abs((status.applied[0]?.applied_at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
});

test("migrate: the project's migrations work on an empty database", async () => {
  const done = await migrate(database.db, { log: silentLog, clock: systemClock });
  expect(done[0]?.name).toBe("0001_init.sql");
  expect(await tables()).toContain("events");
});

test("migrate: a clone finds the migrations, whatever the name of its folder", async () => {
  const root = join(import.meta.dirname, "../../..");
  const clone = join(folder, "homesec-dist");
  for (const part of ["package.json", "src", "migrations"]) await cp(join(root, part), join(clone, part), { recursive: true });
  const { migrationStatus: statusInClone }: typeof import("../../../src/platform/database/migrate.ts") = await import(
    join(clone, "src/platform/database/migrate.ts")
  );
  const inClone = await statusInClone(database.db);
  expect(inClone.pending).toEqual((await migrationStatus(database.db)).pending);
});

test("migrate: several programs that start together apply each file once", async () => {
  const pools = Array.from({ length: 5 }, () => openPool({ url: database.url }, { max: 1, log: silentLog }));
  const results = await Promise.all(pools.map((db) => migrate(db, { folder, log: silentLog, clock: systemClock })));
  await Promise.all(pools.map((pool) => pool.close()));
  expect(
    results
      .flat()
      .map((file) => file.version)
      .sort(),
  ).toEqual([1, 2]);
});

test("migrate: later files are applied to the existing schema", async () => {
  await run();
  await writeFile(join(folder, "0003_third.sql"), "create table third (id integer);");
  expect((await run()).map((file) => file.name)).toEqual(["0003_third.sql"]);
});

test("migrate: a file that fails leaves no trace, and those before it stay", async () => {
  await writeFile(join(folder, "0003_third.sql"), "create table third (id integer); select 1 / 0;");
  await expect(run()).rejects.toThrow(/0003_third\.sql.*division by zero/);
  expect(await tables()).toEqual(["first", "schema_migrations", "second"]);
  await writeFile(join(folder, "0003_third.sql"), "create table third (id integer);");
  expect((await run()).map((file) => file.version)).toEqual([3]);
});

test.each([
  ["edited", async () => appendFile(join(folder, "0001_first.sql"), "-- more"), /0001_first\.sql was changed/],
  ["missing", async () => rename(join(folder, "0001_first.sql"), join(folder, "0001.bak")), /0001_first\.sql.*missing/],
  ["of a newer program", async () => rm(join(folder, "0002_second.sql")), /newer homesec.*0002_second\.sql/],
  ["numbered too low", async () => writeFile(join(folder, "0000_late.sql"), "select 1"), /0000_late\.sql.*higher number/],
])("an applied file that is %s is refused, with the remedy, and nothing is touched", async (_, change, words) => {
  await run();
  await writeFile(join(folder, "0003_third.sql"), "create table third (id integer);");
  if (String(words).includes("newer")) await rm(join(folder, "0003_third.sql"));
  await change();
  await expect(run()).rejects.toMatchObject({ name: "Problem", kind: "conflict", message: expect.stringMatching(words) });
  expect((await migrationStatus(database.db, { folder })).refusal).toMatch(words);
  expect(await tables()).toEqual(["first", "schema_migrations", "second"]);
});

test("migrate: misnamed files and duplicate numbers are errors", async () => {
  await writeFile(join(folder, "0002_again.sql"), "select 1");
  await expect(run()).rejects.toThrow(/number/);
  await rm(join(folder, "0002_again.sql"));
  await writeFile(join(folder, "third.sql"), "select 1");
  await expect(run()).rejects.toThrow(/third\.sql/);
});

test("migrate: the program in another folder finds its migrations", async () => {
  const built = (await import(await bundled("src/platform/database/migrate.ts"))) as { migrate: typeof migrate };
  expect((await built.migrate(database.db, { log: silentLog, clock: systemClock })).length).toBeGreaterThan(0);
});

test("migrate: a copy of the migrations in another folder has the same checksums", async () => {
  await migrate(database.db, { log: silentLog, clock: systemClock });
  await rm(folder, { recursive: true });
  await cp(join(checkout, "migrations"), folder, { recursive: true });
  expect(await run()).toEqual([]);
});
