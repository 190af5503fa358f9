import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backUp } from "../../../src/admin/backup/backup.ts";
import { restore } from "../../../src/admin/backup/restore.ts";
import { notBackedUp } from "../../../src/admin/backup/tables-repository.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { migrate, migrationStatus } from "../../../src/platform/database/migrate.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { contentsOf, fill, shapeOf } from "./tables.ts";

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
const opened: TestDatabase[] = [];

beforeEach(() => {
  folder = temporaryFolder("backup");
  file = join(folder.path, "home.backup");
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await folder.remove();
});

async function database(options: { readonly migrated?: boolean } = {}): Promise<Database> {
  const one = await testDatabase(options);
  opened.push(one);
  return one.db;
}

const save = (db: Database, how: Partial<Parameters<typeof backUp>[0]> = {}) =>
  backUp({ db, path: file, replace: false, host: "home", cameraRoot: "/srv/cameras", version: "1.2.3", clock: systemClock, ...how });
const load = (db: Database, how: Partial<Parameters<typeof restore>[0]> = {}) =>
  restore({ db, path: file, replace: false, alone: false, clock: systemClock, ...how });

describe("restored backup", () => {
  it.each([
    ["an empty database", { migrated: false }],
    ["a freshly migrated one", { migrated: true }],
  ])("restored backup: %s is the same, row by row and in structure", async (_, target) => {
    const home = await database();
    await fill(home);
    const before = await contentsOf(home);
    const saved = await save(home);
    expect(saved).toMatchObject({ path: file, bytes: statSync(file).size, tables: Object.keys(before).length });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(["home.backup"]);
    const other = await database(target);
    expect(await load(other)).toMatchObject({ rows: saved.rows, tables: saved.tables, version: "1.2.3", replaced: false });
    expect(await contentsOf(other)).toEqual(before);
    expect(await shapeOf(other)).toEqual(await shapeOf(home));
  });

  it("restored backup: numbering, roll-ups, totals, search and references continue correctly", async () => {
    const [home, other] = [await database(), await database({ migrated: false })];
    await fill(home);
    await save(home);
    await load(other);
    for (const db of [home, other]) {
      await fill(db, { events: 5 });
      await db.query((sql) => sql`delete from alerts`);
      await db.query((sql) => sql`delete from detections d where d.event_id = 2`);
    }
    const counts = (db: Database) =>
      db.query(
        (sql) => sql`
          select (select max(e.event_id) from events e) as newest, (select max(d.detection_id) from detections d) as newest_detection,
            (select jsonb_object_agg(t.kind || t.camera_id, t.count) from totals t) as totals,
            (select sum(d.count) from detections_per_day d) as counted, (select count(*) from detections d) as detections,
            (select count(*) from event_search s) as searchable, (select last_sequence from journal_head) as head
        `,
      );
    expect(await counts(other)).toEqual(await counts(home));
    const [sums] = await counts(other);
    expect(Number(sums?.["counted"])).toBe(sums?.["detections"]);
    await expect(other.query((sql) => sql`delete from cameras`)).rejects.toThrow("foreign key");
    expect(await migrate(other, { log: silentLog, clock: systemClock })).toEqual([]);
  });

  it("restored backup: contains all tables except the named exclusions", async () => {
    const home = await database();
    const tables = Object.keys(await contentsOf(home, []));
    await save(home);
    const text = gunzipSync(await readFile(file)).toString();
    const saved = [...text.matchAll(/^\{"table":"(\w+)"/gm)].map(([, name]) => name);
    expect(saved).toEqual(tables.filter((name) => !notBackedUp.has(name)));
    expect([...notBackedUp].filter((name) => !tables.includes(name))).toEqual([]);
  });

  it("restored backup: shows one moment although others were writing", async () => {
    const [home, other] = [await database(), await database({ migrated: false })];
    await fill(home, { events: 400 });
    let stop = false;
    const writer = (async () => {
      for (let n = 0; !stop; n += 1) {
        await home.transaction(async (sql) => {
          const [event] = await sql<[{ id: number }]>`
            insert into events (camera_id, started_at, ended_at, detection_count) values ('yard', now(), now(), 3) returning event_id as id
          `;
          await sql`
            insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
            select 'yard', ${event.id}, '/x', now(), 'car', 0.5 from generate_series(1, 3)
          `;
          if (n % 3 === 0) await sql`update events e set deleted_at = now() where e.event_id = ${event.id - 1} and e.deleted_at is null`;
        });
      }
    })();
    for (let n = 0; n < 2; n += 1) {
      await save(home, { replace: true }).catch((error: unknown) => {
        stop = true;
        throw error;
      });
      if (n === 1) stop = true;
      await load(other, { replace: true });
      const [found] = await other.query(
        (sql) => sql`
          select
            (select count(*) from events e where e.detection_count <> (select count(*) from detections d where d.event_id = e.event_id)) as torn,
            (select sum(t.count)::bigint from totals t where t.kind = 'events') - (select count(*) from events e where e.deleted_at is null) as events,
            (select sum(t.count)::bigint from totals t where t.kind = 'detections') - (select count(*) from detections) as detections,
            (select sum(d.count)::bigint from detections_per_day d) - (select count(*) from detections) as days,
            (select sum(d.count)::bigint from events_per_day d) - (select count(*) from events e where e.deleted_at is null) as event_days
        `,
      );
      expect(found).toEqual({ torn: 0, events: 0, detections: 0, days: 0, event_days: 0 });
    }
    await writer;
  });
});

describe("backup", () => {
  it("backup: replaces a file only if allowed, and leaves no partial file after a failure", async () => {
    const home = await database();
    await fill(home);
    await writeFile(file, "mine");
    await expect(save(home)).rejects.toThrow(`${file} is there already; give another name, or replace it with --yes`);
    expect(await readFile(file, "utf8")).toBe("mine");
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(save(home, { replace: true, signal: aborted })).rejects.toThrow();
    expect([await readFile(file, "utf8"), readdirSync(folder.path)]).toEqual(["mine", ["home.backup"]]);
    await expect(save(home, { path: join(folder.path, "none", "x") })).rejects.toThrow("its folder does not exist");
    await expect(save(home, { path: join(folder.path, "x".repeat(300)) })).rejects.toThrow("cannot be written: its name is too long");
    // This name leaves no room for the temporary file's extension.
    await expect(save(home, { path: join(folder.path, "x".repeat(250)) })).rejects.toThrow("cannot be written: its name is too long");
    await expect(load(home, { path: join(folder.path, "x".repeat(300)) })).rejects.toThrow("cannot be read: its name is too long");
    await save(home, { replace: true });
    expect(gunzipSync(await readFile(file)).toString()).toContain('"homesec_backup":1');
  });

  it("backup: can be aborted in the middle of a table without losing the connection", async () => {
    const home = await database();
    await fill(home, { events: 1_500, detectionsEach: 20 });
    const stop = new AbortController();
    const saving = save(home, {
      signal: stop.signal,
      onProgress: ({ table, rows }) => table === "detections" && rows > 5_000 && stop.abort(new Error("enough")),
    });
    await expect(saving).rejects.toThrow();
    expect(readdirSync(folder.path)).toEqual([]);
    await save(home);
    expect(existsSync(file)).toBe(true);
  });

  it("backup: refuses an empty database", async () => {
    await expect(save(await database({ migrated: false }))).rejects.toThrow("nothing to back up yet");
  });
});

describe("restore", () => {
  it("restore: replaces data only if allowed", async () => {
    const [home, other] = [await database(), await database()];
    await fill(home);
    await save(home);
    await fill(other, { events: 60 });
    const before = await contentsOf(other);
    await expect(load(other)).rejects.toThrow(/holds data already \(in \w+\).*--yes/);
    expect(await contentsOf(other)).toEqual(before);
    await load(other, { replace: true });
    expect(await contentsOf(other)).toEqual(await contentsOf(home));
  });

  it("restore: refuses a database that a daemon uses or that has foreign tables", async () => {
    const [home, other] = [await database(), await database()];
    await fill(home);
    await save(home);
    await other.query((sql) => sql`insert into processes values (gen_random_uuid(), 'attic', 42, '1', now(), now())`);
    await expect(load(other, { replace: true })).rejects.toThrow("a daemon uses the database (pid 42 on attic); stop it first");
    await other.query((sql) => sql`update processes set heartbeat_at = now() - interval '1 minute'`);
    await other.query((sql) => sql`create table recipes as select 'soup' as name`);
    const before = await contentsOf(other, []);
    await expect(load(other, { replace: true })).rejects.toThrow("tables or views that this homesec does not know (recipes)");
    expect(await contentsOf(other, [])).toEqual(before);
  });

  it("restore: skips foreign tables and leaves foreign views alone", async () => {
    const [home, other] = [await database(), await database()];
    await fill(home);
    await home.query((sql) => sql`create table recipes (id bigint generated always as identity primary key, name text)`);
    await home.query((sql) => sql`insert into recipes (name) values ('soup')`);
    const { tables, rows } = await save(home);
    expect(await load(other)).toMatchObject({ tables: tables - 1, rows: rows - 1, left_out: ["recipes"] });
    await other.query((sql) => sql`create view persons as select * from detections where object_type = 'person'`);
    await other.query((sql) => sql`create materialized view days as select 1 from detections`);
    await expect(load(other, { replace: true })).rejects.toThrow(/that this homesec does not know \((days, persons|persons, days)\)/);
    expect(await other.query((sql) => sql`select * from persons`)).toBeDefined();
  });

  it.each([
    ["a view", "create view reports.persons as select * from detections where object_type = 'person'", "reports.persons"],
    [
      "a view of a view",
      "create view reports.days as select 1 as one from events; create view reports.ones as select one from reports.days",
      "reports.ones",
    ],
    ["a function", "create function reports.latest(events) returns text language sql as $$ select 'soup' $$", "reports.latest(events)"],
    [
      "a reference",
      "create table reports.notes (camera text, constraint of_camera foreign key (camera) references cameras (camera_id))",
      "of_camera of reports.notes",
    ],
    ["a default", "create table reports.bills (id bigint default nextval('events_event_id_seq'))", "the default of id of reports.bills"],
    ["a column of the type of a row", "create table reports.copies (id int, what events)", "what of reports.copies"],
  ])("does not take %s of another schema along", async (_what, statement, name) => {
    const [home, other] = [await database(), await database()];
    await fill(home);
    await save(home);
    await fill(other, { events: 2 });
    await other.query((sql) => sql.unsafe(`create schema reports; ${statement}`) as never);
    const before = await contentsOf(other);
    await expect(load(other, { replace: true })).rejects.toMatchObject({ kind: "conflict", message: expect.stringContaining(name) });
    expect(await contentsOf(other)).toEqual(before);
    await other.query((sql) => sql`drop schema reports cascade`);
    expect(await load(other, { replace: true })).toMatchObject({ replaced: true });
  });

  it("restore: reports that another program holds the tables", async () => {
    const [home, other] = [await database(), await database()];
    await fill(home);
    await save(home);
    const load0 = other.transaction(async (sql) => {
      await sql`select count(*) from cameras`;
      await expect(load(other)).rejects.toMatchObject({
        kind: "conflict",
        message: expect.stringContaining("another program uses the database"),
      });
    });
    await load0;
  });

  it("restore: checks the whole file before it changes anything", async () => {
    const [home, other] = [await database(), await database()];
    await fill(home);
    await save(home);
    await fill(other, { events: 3 });
    const before = await contentsOf(other);
    const whole = await readFile(file);
    const text = gunzipSync(whole).toString();
    const broken: readonly (readonly [string, Buffer, RegExp])[] = [
      ["cut off", whole.subarray(0, whole.length - 100), /damaged or not complete/],
      ["cut off early", whole.subarray(0, 40), /damaged|no backup/],
      ["a flipped bit", Buffer.from(whole.map((byte, at) => (at === Math.floor(whole.length / 2) ? byte ^ 4 : byte))), /damaged/],
      ["a changed row", gzipSync(text.replace("a note 7", "a note 8")), /the rows of events are not those/],
      ["a missing row", gzipSync(text.replace(/^.*a note 7.*\n/m, "")), /damaged/],
      ["no manifest", gzipSync(text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)), /its end is missing/],
      ["more after its end", gzipSync(`${text}x\n`), /something follows its end/],
      ["another table's name", gzipSync(text.replace('{"table":"gpu_stats"', '{"table":"pg_class"')), /damaged/],
      ["a row without an end", gzipSync(`${text.slice(0, text.indexOf("\\.\n"))}${"x".repeat(70_000_000)}`, { level: 1 }), /do not end/],
      ["something else", gzipSync("hello\n"), /is no backup made by/],
      ["not even gzip", randomBytes(5_000), /damaged|no backup/],
      ["empty", Buffer.alloc(0), /damaged|no backup/],
    ];
    for (const [what, bytes, words] of broken) {
      await writeFile(file, bytes);
      await expect(load(other, { replace: true }), what).rejects.toThrow(words);
    }
    await expect(load(other, { path: join(folder.path, "none") })).rejects.toThrow("does not exist");
    expect(await contentsOf(other)).toEqual(before);
  });

  it("restore: a failure in the middle keeps the old content", async () => {
    const [home, other] = [await database(), await database()];
    await fill(home);
    await home.query((sql) => sql`alter table detections drop constraint detections_event_id_fkey`);
    await home.query((sql) => sql`update detections set event_id = 999999 where detection_id = 3`);
    await save(home);
    await fill(other, { events: 3 });
    const before = [await contentsOf(other), await shapeOf(other)];
    // Counts and checksums are right: the database refuses the data.
    await expect(load(other, { replace: true })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("foreign key"),
    });
    const stop = new AbortController();
    const stopped = load(other, {
      replace: true,
      signal: stop.signal,
      onProgress: ({ step, table }) => step === "restoring" && table === "images" && stop.abort(new Error("enough")),
    });
    await expect(stopped).rejects.toThrow();
    expect([await contentsOf(other), await shapeOf(other)]).toEqual(before);
  });

  it("restore: migrates an older backup and refuses a newer one", async () => {
    const [old, other] = [await database({ migrated: false }), await database({ migrated: false })];
    const older = join(folder.path, "older");
    await cp(join(import.meta.dirname, "../../../migrations"), older, { recursive: true });
    await rm(join(older, readdirSync(older).sort().at(-1) ?? ""));
    await migrate(old, { folder: older, log: silentLog, clock: systemClock });
    await old.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/srv/yard')`);
    await save(old);
    await load(other);
    expect(await migrationStatus(other)).toMatchObject({ pending: [], refusal: null });
    expect(await other.query((sql) => sql`select name from cameras`)).toEqual([{ name: "Yard" }]);
    expect(await shapeOf(other)).toEqual(await shapeOf(await database()));
    await save(other, { replace: true });
    await expect(load(old, { replace: true, folder: older })).rejects.toThrow(
      /The backup was made by a newer homesec .* install that version/,
    );
  });

  it("restore: never reuses a sequence number of the journal that clients have seen", async () => {
    const [home, file2] = [await database(), file];
    await fill(home);
    await save(home, { path: file2 });
    await fill(home, { events: 1 });
    const head = () => home.query(async (sql) => (await sql<[{ head: number }]>`select last_sequence as head from journal_head`)[0].head);
    const seen = await head();
    await load(home, { replace: true });
    expect(await head()).toBe(seen + 1);
  });
});
