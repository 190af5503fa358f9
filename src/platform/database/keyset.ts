import { z } from "zod";
import { createSemaphore } from "../../base/async/semaphore.ts";
import { decodeCursor, KeyInstant, type KeyPart, makePage, type Page } from "../../contract/cursor.ts";
import { Problem } from "../../contract/problem.ts";
import type { Database, Sql, SqlFragment } from "./database.ts";

/** Sort key of a list by time and id: the time with all its digits, and the id. */
export type TimeKey<Id extends string | number = number> = readonly [time: string, id: Id];

/** The schema of a `TimeKey` in a cursor. */
export const timeKey = <Id extends string | number>(id: z.ZodType<Id>): z.ZodType<TimeKey<Id>> => z.tuple([KeyInstant, id]);

/** A page of a list: continues after the row with the key `after`. */
export interface Slice<Key> {
  readonly after: Key | undefined;
  readonly offset: number;
  /** Maximum number of rows. */
  readonly limit: number;
}

/** A record with its sort key. */
export interface Keyed<Item, Key> {
  readonly record: Item;
  readonly key: Key;
}

/** Condition: the row follows `after` in a list sorted by `columns`, a time and an id, both descending. Empty on the first page. */
export function follows(sql: Sql, columns: SqlFragment, after: TimeKey<string | number> | undefined) {
  return after ? sql`and (${columns}) < (${after[0]}::text::timestamptz, ${after[1]})` : sql``;
}

/** A timestamp as `KeyInstant`. A `Date` would lose the microseconds. */
export function keyInstant(sql: Sql, column: SqlFragment) {
  return sql`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** A list that clients read page by page. */
export interface List<Item, Key> {
  /** Ties cursors to this list. */
  readonly name: string;
  readonly key: z.ZodType<Key>;
  readonly rows: (sql: Sql, slice: Slice<Key>) => Promise<readonly Keyed<Item, Key>[]>;
  /** Counts the matching rows of all pages. */
  readonly count: (sql: Sql) => Promise<number>;
}

/** Pages of up to this many rows are read with one statement. */
const shortPage = 100;
/** Maximum length of all texts of a page. Rows, reply and bytes of a page are in memory together, several times this size. */
const mostPageText = 8 * 1024 * 1024;
const longPages = createSemaphore({ max: 2 });

/** Runs the read of a page. Long pages wait for each other, two at a time, because each takes a lot of memory. */
export async function withPageSlot<T>(limit: number, read: () => Promise<T>): Promise<T> {
  return limit <= shortPage ? await read() : await longPages.run(read);
}

/** Reads one page of a list. Reads one row more than requested, to know whether another page follows. Throws as `requireFittingPage` does. */
export async function readPage<Item, Key extends readonly KeyPart[]>(
  db: Database,
  { limit, cursor, offset }: { readonly limit: number; readonly cursor?: string | undefined; readonly offset?: number | undefined },
  list: List<Item, Key>,
): Promise<Page<Item>> {
  const after = decodeCursor(cursor, list.name, list.key);
  const slice = { after, offset: offset ?? 0, limit: limit + 1 };
  const [rows, total] = await withPageSlot(limit, () => db.query((sql) => Promise.all([readInParts(sql, list, slice), list.count(sql)])));
  const page = makePage({ listName: list.name, rows, limit, offset, after, total, key: (row) => row.key });
  return { ...page, items: page.items.map((row) => row.record) };
}

/** Reads a long slice in parts, each as long as all before it, so that a page that is too large is noticed before all of it is in memory. */
async function readInParts<Item, Key>(sql: Sql, { rows: read }: List<Item, Key>, slice: Slice<Key>): Promise<Keyed<Item, Key>[]> {
  const rows: Keyed<Item, Key>[] = [];
  let text = 0;
  let { after, offset } = slice;
  while (rows.length < slice.limit) {
    const limit = Math.min(slice.limit - rows.length, Math.max(shortPage + 1, rows.length));
    const part = await read(sql, { after, offset, limit });
    rows.push(...part);
    if (slice.limit > shortPage + 1) text += textLength(part);
    requireFittingPage(text, rows.length);
    after = rows.at(-1)?.key;
    offset = 0;
    if (part.length < limit) break;
  }
  return rows;
}

/** Throws `Problem("invalid")`, which names a smaller `limit`, if `rows` rows with texts of this length are too large for one reply. */
export function requireFittingPage(text: number, rows: number): void {
  if (text <= mostPageText) return;
  const fits = Math.max(1, Math.floor((rows * mostPageText * 0.8) / text));
  const msg = `These rows are too long for one reply; use limit=${fits} and continue with the cursor`;
  throw new Problem("invalid", msg, { items: [{ loc: ["query", "limit"], msg, type: "less_than_equal" }] });
}

/** Returns the length of all texts in a value of a reply. */
export function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const child of Object.values(value)) length += textLength(child);
  return length;
}
