import { afterAll, beforeAll, expect, test } from "vitest";
import type { JournalEntry } from "../../../src/contract/live.ts";
import { appendToJournal } from "../../../src/work/journal/journal.ts";
import { numberEntries, readAfter, readHead } from "../../../src/work/journal/journal-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const at = new Date("2026-03-04T05:06:07.089Z");
const worker = (name: string): JournalEntry => ({ type: "worker_status", data: { name, running: true, message: null } });
const append = (...entries: JournalEntry[]) => database.db.transaction((sql) => appendToJournal(sql, entries, at));
const number = (atMost = 100) => database.db.query((sql) => numberEntries(sql, atMost));

test("journal: entries get their numbers after the commit, in the order of writing, and are sent in the wire format", async () => {
  await append();
  expect(await number()).toEqual([]);

  const noted = new Error("changed my mind");
  await expect(
    database.db.transaction(async (sql) => {
      await appendToJournal(sql, [worker("never")], at);
      throw noted;
    }),
  ).rejects.toBe(noted);

  const awkward = 'quote " backslash \\ brace {,} null NULL newline \n ü 🏡';
  await append(worker("first"), worker(awkward), {
    type: "detection.batch",
    data: {
      ...{ batch_id: "b", camera_id: "porch", event_id: 7, started_at: at, ended_at: at, detection_count: 2, close_reason: "idle" },
      ...({ internal: "secret" } as object),
    },
  });
  const rows = await number();
  expect(rows.map((row) => row.sequence)).toEqual([1, 2, 3]);
  expect(rows.map((row) => JSON.parse(row.data).name)).toEqual(["first", awkward, undefined]);
  expect(JSON.parse(rows[2]?.data ?? "")).toEqual({
    ...{ batch_id: "b", camera_id: "porch", event_id: 7, detection_count: 2, close_reason: "idle" },
    ...{ started_at: "2026-03-04T05:06:07.089Z", ended_at: "2026-03-04T05:06:07.089Z" },
  });
  expect(rows[0]?.created_at).toEqual(at);
  expect(await database.db.query(readHead)).toBe(3);
  expect(await database.db.query((sql) => readAfter(sql, 1, 10))).toEqual(rows.slice(1));
});

test("journal: a round numbers at most the requested number of entries, and the next one continues", async () => {
  const before = await database.db.query(readHead);
  await append(...["a", "b", "c", "d", "e"].map(worker));
  expect((await number(2)).map((row) => row.sequence - before)).toEqual([1, 2]);
  expect((await number(2)).map((row) => row.sequence - before)).toEqual([3, 4]);
  expect((await number(2)).map((row) => JSON.parse(row.data).name)).toEqual(["e"]);
});

test("journal: an entry that does not match the contract is refused, and nothing is stored", async () => {
  const before = await database.db.query((sql) => sql`select count(*) from journal`);
  await expect(append(worker("good"), { type: "worker_status", data: { name: 7 } } as unknown as JournalEntry)).rejects.toThrow();
  await expect(append({ type: "no.such", data: {} } as unknown as JournalEntry)).rejects.toThrow("no.such");
  expect(await database.db.query((sql) => sql`select count(*) from journal`)).toEqual(before);
});

test("journal: without new entries, numbering writes nothing", async () => {
  await number(1_000);
  const written = await database.db.transaction(async (sql) => {
    await numberEntries(sql, 10);
    return sql`select pg_current_xact_id_if_assigned() is not null as written`;
  });
  expect(written).toEqual([{ written: false }]);
});
