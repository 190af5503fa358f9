import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOfDay } from "../../../src/admin/evidence/chain.ts";
import { sealDueDays } from "../../../src/admin/evidence/seal-days.ts";
import { verifyPack } from "../../../src/admin/evidence/verify.ts";
import { dayMs, hourMs } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import type { Database, Sql } from "../../../src/platform/database/database.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { evidenceKey } from "../../../src/platform/secrets/open-sealer.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const days = ["2026-03-01", "2026-03-02", "2026-03-03"] as const;
const [first, second, third] = days;

let desk: Desk;
/** A session as of psql: it has no key. */
let hand: Database;

const at = (day: string, hours = 12): Date => new Date(startOfDay(day).getTime() + hours * hourMs);

/** Stores one row of each table in a day, as homesec does. */
async function fill(day: string, on: Desk = desk): Promise<number> {
  return await on.db.transaction(async (sql) => {
    const time = at(day);
    const [image] = await sql<[{ id: number }]>`
      insert into images (camera_id, path, size_bytes, modified_ns, sha256, found_by, found_at, taken_at, status)
      values ('yard', ${`/yard/${randomUUID()}.jpg`}, 100, 1, decode(repeat('01', 32), 'hex'), 'watch', ${time}, ${time}, 'processed') returning image_id as id`;
    const [event] = await sql<[{ id: number }]>`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, summary, analysis_status, created_at)
      values ('yard', ${time}, ${time}, 60, 'high', 'A person at the door', 'completed', ${time}) returning event_id as id`;
    await sql`
      insert into detections (camera_id, image_id, event_id, file_path, detected_at, object_type, confidence, created_at)
      values ('yard', ${image.id}, ${event.id}, '/x', ${time}, 'person', 0.9, ${time})`;
    await sql`
      insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, created_at, updated_at)
      values (gen_random_uuid(), ${event.id}, 'People', 'yard', 'high', 'yard', ${time}, ${time})`;
    await sql`
      insert into changes (changed_at, changed_by, role, operation, subjects, fields) values (${time}, 'anna', 'owner', 'x', '{}', '{}')`;
    await sql`insert into journal (type, data, created_at) values ('event.new', '{"a":1}', ${time})`;
    return event.id;
  });
}

async function openHome(): Promise<Desk> {
  const home = await openDesk({ RETENTION_DAYS: "30" });
  home.db.setEvidenceKey(evidenceKey(home.context.sealer));
  await home.db.query(
    (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', ${join(home.cameraRoot, "yard")})`,
  );
  return home;
}

const seal = (on: Desk = desk) => sealDueDays(on.context);
const check = (on: Desk = desk) => on.ask("checkEvidenceChain");
const found = async (on: Desk = desk) => (await check(on)).findings.map(({ day, table, kind }) => `${day} ${table} ${kind}`);
const byHand = (statement: (sql: Sql) => Promise<unknown>) => hand.query(statement);

beforeAll(async () => {
  desk = await openHome();
  hand = openPool({ url: desk.url }, { max: 1, log: silentLog });
  for (const day of days) await fill(day);
  desk.at(at(second, 6));
  await seal();
  desk.at(at("2026-03-04", 7));
  await seal();
});
afterAll(async () => {
  await hand.close();
  await desk.close();
});

describe("evidence chain: sealing", () => {
  test("seals each day some hours after its end, once, also when two processes do it", async () => {
    const home = await openHome();
    await fill(first, home);
    home.at(at(second, 5.9));
    expect(await seal(home)).not.toContain(first);
    home.at(at("2026-03-05", 6));
    const sealed = (await Promise.all([seal(home), seal(home)])).flat();
    expect(sealed.toSorted()).toEqual([first, second, third, "2026-03-04"]);
    expect(await check(home)).toMatchObject({ is_unchanged: true, days: 5, head: { day: "2026-03-04" } });
    await home.close();
  });

  test("a run that is interrupted goes on with the next day", async () => {
    const home = await openHome();
    home.at(at(second, 7));
    await seal(home);
    home.at(at("2026-03-06", 7));
    const stopped = new AbortController();
    const context = { ...home.context, log: { ...silentLog, info: () => stopped.abort() } };
    await expect(sealDueDays(context, stopped.signal)).rejects.toThrow();
    expect((await check(home)).head).toMatchObject({ day: second });
    expect(await seal(home)).toEqual([third, "2026-03-04", "2026-03-05"]);
    expect(await check(home)).toMatchObject({ is_unchanged: true, days: 5 });
    await home.close();
  });

  test("a change that is under way when its day is sealed is in the seal", async () => {
    const home = await openHome();
    const event = await fill(first, home);
    home.at(at(second, 7));
    let sealing: Promise<unknown> = Promise.resolve();
    await home.db.transaction(async (sql) => {
      await sql`update events e set notes = 'seen' where e.event_id = ${event}`;
      sealing = seal(home);
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    await sealing;
    expect(await check(home)).toMatchObject({ is_unchanged: true, days: 1 });
    await home.close();
  });
});

describe("evidence chain: changes by hand", () => {
  const byTable: readonly (readonly [string, string, (sql: Sql) => Promise<unknown>, (sql: Sql) => Promise<unknown>])[] = [
    [
      `${second} events changed`,
      "a risk score",
      (sql) => sql`update events e set risk_score = 5 where e.created_at = ${at(second)}`,
      (sql) => sql`update events e set risk_score = 60 where e.created_at = ${at(second)}`,
    ],
    [
      `${first} alerts changed`,
      "the state of an alert",
      (sql) => sql`update alerts a set status = 'dismissed' where a.created_at = ${at(first)}`,
      (sql) => sql`update alerts a set status = 'pending' where a.created_at = ${at(first)}`,
    ],
    [
      `${third} images changed`,
      "the SHA-256 of a picture",
      (sql) => sql`update images i set sha256 = decode(repeat('02', 32), 'hex') where i.found_at = ${at(third)}`,
      (sql) => sql`update images i set sha256 = decode(repeat('01', 32), 'hex') where i.found_at = ${at(third)}`,
    ],
    [
      `${second} journal changed`,
      "an entry of the journal",
      (sql) => sql`update journal j set data = '{"a":2}' where j.created_at = ${at(second)}`,
      (sql) => sql`update journal j set data = '{"a":1}' where j.created_at = ${at(second)}`,
    ],
    [
      `${second} detections removed`,
      "a deleted detection",
      async (sql) => {
        await sql`create table kept_aside as select d.* from detections d where d.created_at = ${at(second)}`;
        await sql`delete from detections d where d.created_at = ${at(second)}`;
      },
      async (sql) => {
        await sql`
          insert into detections (detection_id, camera_id, image_id, event_id, file_path, detected_at, object_type, confidence, created_at)
          overriding system value
          select k.detection_id, k.camera_id, k.image_id, k.event_id, k.file_path, k.detected_at, k.object_type, k.confidence, k.created_at
          from kept_aside k`;
        await sql`drop table kept_aside`;
      },
    ],
    [
      `${first} changes added`,
      "a change by someone who made none",
      (sql) => sql`
        insert into changes (changed_at, changed_by, role, operation, subjects, fields) values (${at(first)}, 'eve', 'owner', 'x', '{}', '{}')`,
      (sql) => sql`delete from changes c where c.changed_by = 'eve'`,
    ],
  ];

  test.each(byTable)("finds %s: %s", async (finding, _, change, undo) => {
    expect(await found()).toEqual([]);
    await byHand(change);
    expect(await found()).toEqual([finding]);
    await byHand(undo);
    expect(await found()).toEqual([]);
  });

  test("says how many rows are missing, and the newest days can be checked alone", async () => {
    await byHand((sql) => sql`update events e set notes = 'x' where e.created_at = ${at(first)}`);
    expect((await check()).findings[0]?.message).toBe("events: at least one of 1 row was changed");
    expect(await desk.ask("checkEvidenceChain", { query: "days=2" })).toMatchObject({ is_unchanged: true, days: 2, first_day: second });
    await byHand((sql) => sql`update events e set notes = '' where e.created_at = ${at(first)}`);
  });

  test("a hash that was noted elsewhere is that of a day, and one that no day has is a finding", async () => {
    const against = (hash: string) => desk.ask("checkEvidenceChain", { query: `days=1&against=${hash}` });
    const [sealed] = await hand.query(
      (sql) => sql<{ hash: string }[]>`select encode(d.hash, 'hex') as hash from evidence_days d where d.day = ${first}::text::date`,
    );
    const noted = sealed?.hash ?? "";
    // the days since the noted one are checked too
    expect(await against(noted.toUpperCase())).toMatchObject({ is_unchanged: true, noted_day: first, first_day: first });
    expect(await against(noted.slice(0, 16))).toMatchObject({ is_unchanged: true, noted_day: first });
    const other = await against(noted.replace(/./g, (digit) => (digit === "0" ? "1" : "0")));
    expect(other).toMatchObject({ is_unchanged: false, noted_day: null, findings: [{ kind: "noted", table: null }] });
    await expect(against("0123456789")).rejects.toMatchObject({ kind: "invalid" });
  });

  test("a noted hash is a finding too when no day is sealed", async () => {
    const empty = await openHome();
    const query = `against=${"a".repeat(64)}`;
    expect(await empty.ask("checkEvidenceChain", { query })).toMatchObject({ is_unchanged: false, days: 0, findings: [{ kind: "noted" }] });
    await empty.close();
  });

  test("finds changed, missing and exchanged seals", async () => {
    const stored = await hand.query((sql) => sql`select to_jsonb(d)::text as row from evidence_days d where d.day = ${second}::text::date`);
    const restore = () =>
      byHand(async (sql) => {
        await sql`delete from evidence_days d where d.day = ${second}::text::date`;
        await sql`insert into evidence_days select * from jsonb_populate_record(null::evidence_days, ${stored[0]?.row}::text::jsonb)`;
      });
    await byHand(
      (sql) => sql`update evidence_days d set records = jsonb_set(d.records, '{events,rows}', '7') where d.day = ${second}::text::date`,
    );
    expect(await found()).toEqual([`${second} null seal`, `${second} events removed`]);
    await restore();
    await byHand((sql) => sql`update evidence_days d set signature = ${Buffer.alloc(64)} where d.day = ${second}::text::date`);
    expect(await found()).toEqual([`${second} null seal`]);
    await byHand((sql) => sql`delete from evidence_days d where d.day = ${second}::text::date`);
    expect(await found()).toEqual([`${third} null missing`]);
    await restore();
    expect(await found()).toEqual([]);
  });

  test("with another key file it checks the seals, and says that it cannot read the rows", async () => {
    const other = await openDesk();
    const { checkChain } = await import("../../../src/admin/evidence/check-chain.ts");
    expect(await checkChain(hand, other.context.sealer)).toMatchObject({ findings: [], unreadable: days });
    await hand.query((sql) => sql`reset homesec.evidence_key`);
    await other.close();
  });
});

describe("evidence chain: what homesec does", () => {
  test("retention, corrections, and the deletion of events and cameras leave the days unchanged", async () => {
    const home = await openHome();
    const events = [await fill(first, home), await fill(first, home), await fill(second, home)];
    for (const day of [second, third]) {
      home.at(at(day, 7));
      await seal(home);
    }
    const [seen, deleted, pinned] = events.map(String) as [string, string, string];
    const { items } = await home.ask("listDetections", { query: `event_id=${seen}` });
    await home.ask("updateEvent", { params: { event_id: seen }, body: { reviewed: true, notes: "the neighbour" } });
    await home.ask("updateEvent", { params: { event_id: pinned }, body: { pinned: true } });
    await home.ask("updateDetections", { body: { detections: [{ id: items[0]?.id, object_type: "dog" }] } });
    await home.ask("deleteEvent", { params: { event_id: deleted } });
    await home.ask("deleteCamera", { params: { camera_id: "yard" } });
    expect(await found(home)).toEqual([]);
    home.at(at("2026-05-01"));
    await home.ask("cleanUp", { query: "dry_run=false" });
    const [left] = await home.db.query((sql) => sql<[{ count: number }]>`select count(*) as count from events`);
    expect(left.count).toBe(1);
    expect(await found(home)).toEqual([]);
    await seal(home);
    expect(await found(home)).toEqual([]);
    await home.close();
  });

  test("any history of homesec leaves the days unchanged, and a change by hand after it shows", async () => {
    const home = await openHome();
    const own = openPool({ url: home.url }, { max: 1, log: silentLog });
    for (const day of days) await fill(day, home);
    home.at(at(second, 7));
    await seal(home);
    let today = third as string;
    const pick = (sql: Sql, nth: number) =>
      sql`(select e.event_id from events e order by e.event_id offset ${nth} % greatest(1, (select count(*) from events)) limit 1)`;
    const steps: Readonly<Record<string, (nth: number) => Promise<unknown>>> = {
      late: (nth) => fill(days[nth % 3] as string, home),
      score: (nth) => home.db.query((sql) => sql`update events e set risk_score = ${nth} where e.event_id = ${pick(sql, nth)}`),
      acknowledge: (nth) =>
        home.db.query(
          (sql) => sql`update alerts a set status = 'acknowledged', acknowledged_at = ${at(today)} where a.event_id = ${pick(sql, nth)}`,
        ),
      remove: (nth) =>
        home.db.transaction(async (sql) => {
          const [row] = await sql<{ id: number | null }[]>`select ${pick(sql, nth)} as id`;
          await sql`delete from detections d where d.event_id = ${row?.id ?? null}::bigint`;
          await sql`delete from events e where e.event_id = ${row?.id ?? null}::bigint`;
        }),
      forget: (nth) => home.db.query((sql) => sql`delete from journal j where j.journal_id % 5 = ${nth % 5}`),
      rolledBack: (nth) =>
        home.db
          .transaction(async (sql) => {
            await sql`update events e set notes = ${`n${nth}`} where e.event_id = ${pick(sql, nth)}`;
            throw new Error("no");
          })
          .catch(() => {}),
      night: async () => {
        today = new Date(startOfDay(today).getTime() + dayMs).toISOString().slice(0, 10);
        home.at(at(today, 7));
        await seal(home);
      },
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(99)), { maxLength: 12 }), async (history) => {
        for (const [step, nth] of history) await steps[step]?.(nth);
        expect(await found(home)).toEqual([]);
      }),
      { numRuns: 12 },
    );
    const late = await fill(first, home);
    await own.query((sql) => sql`update events e set summary = 'nobody' where e.event_id = ${late}`);
    expect(await found(home)).toEqual([`${first} events changed`]);
    await own.close();
    await home.close();
  });
});

describe("evidence chain: packs", () => {
  test("a pack has the sealed days of its event and the newest one, and verify finds a day that does not fit", async () => {
    const folder = temporaryFolder("chain");
    const [{ id }] = await desk.db.query(
      (sql) => sql<[{ id: number }]>`select e.event_id as id from events e where e.created_at = ${at(second)}`,
    );
    const make = async () => {
      const parts: Uint8Array[] = [];
      const { content } = await desk.askStream("getEvidencePack", { params: { event_id: String(id) } });
      for await (const part of content.stream) parts.push(part);
      const file = join(folder.path, "pack.zip");
      await writeFile(file, Buffer.concat(parts));
      return await verifyPack(file);
    };
    const { is_unchanged, manifest } = await make();
    expect([is_unchanged, manifest?.chain.map(({ day }) => day)]).toEqual([true, [second, third]]);
    expect(manifest?.chain.at(-1)?.hash).toBe((await check()).head?.hash);
    await byHand((sql) => sql`update evidence_days d set previous_hash = ${Buffer.alloc(32)} where d.day = ${third}::text::date`);
    const broken = await make();
    expect(broken.findings.map(({ kind }) => kind)).toEqual(["chain", "chain"]);
    await folder.remove();
  });
});
