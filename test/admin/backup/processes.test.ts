import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "../../../src/platform/database/database.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { startHomesec } from "../../support/homesec-process.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { contentsOf, fill } from "./tables.ts";

let folder: ReturnType<typeof temporaryFolder>;
const opened: TestDatabase[] = [];

beforeEach(() => {
  folder = temporaryFolder("backup");
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await folder.remove();
});

async function database(): Promise<TestDatabase> {
  const one = await testDatabase();
  opened.push(one);
  return one;
}

/** Many rows in a table without triggers: about 150 bytes each. */
async function addRows(db: Database, count: number): Promise<void> {
  await db.query(
    (sql) => sql`
      insert into gpu_stats (recorded_at, gpu_name, utilization, temperature)
      select '2020-01-01'::timestamptz + n * interval '5 seconds', md5(n::text) || md5((n + 1)::text), random(), random()
      from generate_series(1, ${count}::int) g (n)
    `,
  );
}

const homesec = (url: string, ...args: string[]) =>
  startHomesec(["db", ...args], { DATABASE_URL: url, DATA_DIR: join(folder.path, "data") }, folder.path);
const backups = () => readdirSync(folder.path).filter((name) => name !== "data");

it("backup and restore: a kill leaves no partial backup and keeps the old content of the database", async () => {
  const [home, other] = [await database(), await database()];
  await fill(home.db);
  await addRows(home.db, 60_000);
  const killed = homesec(home.url, "backup", "home.backup");
  await eventually(() => backups().length > 0, { timeoutMs: 30_000, what: "the beginning of a backup" });
  killed.kill("SIGKILL");
  await killed.exit;
  expect(backups()).toEqual([`home.backup.${killed.pid}.partial`]);
  expect(await homesec(home.url, "backup", "home.backup").exit).toMatchObject({ code: 0 });
  expect(backups()).toEqual(["home.backup"]);

  await fill(other.db, { events: 7 });
  const before = await contentsOf(other.db);
  const restoring = homesec(other.url, "restore", "--yes", "home.backup");
  const filling = () => home.db.query((sql) => sql`select from pg_stat_activity a where a.query like 'copy "gpu_stats"%stdin'`);
  await eventually(async () => (await filling()).length > 0, { timeoutMs: 30_000, what: "a restore in the middle of a table" });
  restoring.kill("SIGKILL");
  await restoring.exit;
  expect(await contentsOf(other.db)).toEqual(before);
  expect(await homesec(other.url, "restore", "--yes", "home.backup").exit).toMatchObject({ code: 0 });
  const leaveOut = ["processes", "restores", "camera_root"];
  expect(await contentsOf(other.db, leaveOut)).toEqual(await contentsOf(home.db, leaveOut));
}, 120_000);

it("backup and restore: memory does not grow with the number of rows", async () => {
  const [home, other] = [await database(), await database()];
  const mostMemory = async (url: string, ...args: string[]): Promise<number> => {
    const running = homesec(url, ...args);
    let most = 0;
    const timer = setInterval(() => {
      try {
        most = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${running.pid}/status`, "utf8"))?.[1] ?? most);
      } catch {
        // It has ended.
      }
    }, 20);
    const { code } = await running.exit;
    clearInterval(timer);
    expect(code, running.output()).toBe(0);
    return most / 1024;
  };
  const few = [await mostMemory(home.url, "backup", "few.backup"), await mostMemory(other.url, "restore", "few.backup")];
  await addRows(home.db, 200_000);
  const many = [await mostMemory(home.url, "backup", "many.backup"), await mostMemory(other.url, "restore", "many.backup")];
  expect((many[0] ?? 0) - (few[0] ?? 0)).toBeLessThan(100);
  expect((many[1] ?? 0) - (few[1] ?? 0)).toBeLessThan(100);
}, 120_000);
