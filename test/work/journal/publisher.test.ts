import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Loop } from "../../../daemon/workers/loop.ts";
import { createPublisher } from "../../../daemon/workers/publisher.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { type Log, silentLog } from "../../../src/base/log/log.ts";
import type { JournalEntry } from "../../../src/contract/live.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { startEmbeddedPostgres } from "../../../src/platform/database/embedded-postgres.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { appendToJournal } from "../../../src/work/journal/journal.ts";
import { type PublishedRow, readAfter, readHead } from "../../../src/work/journal/journal-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { freePort } from "../../support/free-port.ts";
import { timed } from "../../support/timed.ts";

const entry = (id: number): JournalEntry => ({ type: "event.deleted", data: { id } });
const delay = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const sequences = (rows: readonly PublishedRow[]): number[] => rows.map((row) => row.sequence);
const idOf = (row: PublishedRow): number => JSON.parse(row.data).id;

const publishers: Loop[] = [];
function publisherOn(db: Database, log: Log = silentLog) {
  const rows: PublishedRow[] = [];
  const publisher = createPublisher({ db, log, onPublished: (found) => rows.push(...found) });
  publishers.push(publisher);
  return { publisher, rows };
}

afterEach(async () => {
  for (const publisher of publishers.splice(0)) await publisher.stop();
});

describe("publisher on a database that stays available", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase({ max: 12 });
  });
  afterEach(() => database.close());

  const append = (...entries: JournalEntry[]) => database.db.transaction((sql) => appendToJournal(sql, entries, new Date()));

  test("numbers at once after a hint, and finds the rows by polling without one", timed, async () => {
    const { publisher, rows } = publisherOn(database.db);
    await append(entry(1));
    await publisher.start();
    await expect.poll(() => rows.length, { interval: 2 }).toBe(1);
    await append(entry(2));
    const begun = performance.now();
    publisher.wake();
    await expect.poll(() => rows.length, { interval: 2 }).toBe(2);
    expect(performance.now() - begun).toBeLessThan(100);
    await append(entry(3));
    await expect.poll(() => rows.length).toBe(3);
    expect(sequences(rows)).toEqual([1, 2, 3]);
    expect(systemClock.monotonic() - publisher.heartbeat()).toBeLessThan(1_000);
  });

  test("sends a burst larger than one round completely", async () => {
    const { publisher, rows } = publisherOn(database.db);
    await append(...upTo(1_730).map(entry));
    await publisher.start();
    await expect.poll(() => rows.length).toBe(1_730);
    expect(sequences(rows)).toEqual(upTo(1_730));
    expect(rows.map(idOf)).toEqual(upTo(1_730));
  });

  test("8 writers committing out of order and rolling back, 2 publishers at once: no gap, no number twice, and no reader is overtaken", async () => {
    const here = publisherOn(database.db);
    const there = publisherOn(database.db);
    await here.publisher.start();
    await there.publisher.start();
    const committed: number[] = [];
    let writing = true;

    // A reader that only requests rows after the last one it has seen
    const seen: PublishedRow[] = [];
    const reader = (async () => {
      while (writing || seen.length < committed.length) {
        seen.push(...(await database.db.query((sql) => readAfter(sql, seen.at(-1)?.sequence ?? 0, 50))));
        await delay(1);
      }
    })();

    const writers = upTo(8).map(async (writer) => {
      for (let round = 0; round < 40; round += 1) {
        const ids = upTo(1 + ((writer + round) % 4)).map((n) => writer * 10_000 + round * 10 + n);
        const rollBack = Math.random() < 0.25;
        await database.db
          .transaction(async (sql) => {
            await appendToJournal(sql, ids.map(entry), new Date());
            await delay(Math.random() * 8);
            if (rollBack) throw new Error("rolled back");
          })
          .then(
            () => committed.push(...ids),
            (error: unknown) => expect(String(error)).toContain("rolled back"),
          );
        if (Math.random() < 0.7) (Math.random() < 0.5 ? here : there).publisher.wake();
      }
    });
    await Promise.all(writers);
    writing = false;
    await expect.poll(() => here.rows.length + there.rows.length).toBe(committed.length);
    await reader;

    const all = [...here.rows, ...there.rows];
    expect(sequences(all).sort((a, b) => a - b)).toEqual(upTo(committed.length));
    expect(all.map(idOf).sort((a, b) => a - b)).toEqual(committed.sort((a, b) => a - b));
    expect(here.rows.length).toBeGreaterThan(0);
    expect(there.rows.length).toBeGreaterThan(0);
    for (const { rows } of [here, there]) expect(sequences(rows)).toEqual(sequences(rows).sort((a, b) => a - b));
    expect(sequences(seen)).toEqual(upTo(committed.length));
    expect(await database.db.query(readHead)).toBe(committed.length);
  });
});

test("publisher: a restart of the database is reported once, publishing resumes automatically, and no number is skipped", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "homesec-test-journal-"));
  const port = await freePort();
  let server = await startEmbeddedPostgres({ dataDir, port, log: silentLog });
  const db = openPool(server, { max: 4, log: silentLog });
  try {
    await migrate(db, { log: silentLog, clock: systemClock });
    const said: string[] = [];
    const log: Log = { ...silentLog, warn: (_fields, message) => said.push(message), info: (_fields, message) => said.push(message) };
    const { publisher, rows } = publisherOn(db, log);
    await publisher.start();

    let committed = 0;
    let writing = true;
    const writer = (async () => {
      while (writing) {
        try {
          await db.transaction((sql) => appendToJournal(sql, [entry(committed + 1)], new Date()));
          committed += 1;
          publisher.wake();
        } catch {
          await delay(20); // The database is unavailable; whether this row was stored does not matter here
        }
        await delay(1);
      }
    })();
    await expect.poll(() => rows.length).toBeGreaterThan(20);
    await server.stop();
    await delay(2_500); // Longer than the pool waits before it reports the outage
    const away = rows.length;
    server = await startEmbeddedPostgres({ dataDir, port, log: silentLog });
    await expect.poll(() => rows.length).toBeGreaterThan(away + 20);
    writing = false;
    await writer;

    const head = async (): Promise<number> => db.query(readHead);
    await expect.poll(async () => (await db.query((sql) => sql`select 1 from journal where sequence is null`)).length).toBe(0);
    const stored = await db.query((sql) => readAfter(sql, 0, 100_000));
    expect(sequences(stored)).toEqual(upTo(await head()));
    expect(stored.length).toBeGreaterThanOrEqual(committed);
    expect(sequences(rows)).toEqual([...new Set(sequences(rows))].sort((a, b) => a - b));
    expect(said).toEqual(["a round failed; trying again", "works again"]);
  } finally {
    for (const publisher of publishers.splice(0)) await publisher.stop();
    await db.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
