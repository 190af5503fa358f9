import { z } from "zod";
import { decodeCursor, KeyInstant, type KeyPart, makePage, type Page } from "../../contract/cursor.ts";
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

/** Reads one page of a list. Reads one row more than requested, to know whether another page follows. */
export async function readPage<Item, Key extends readonly KeyPart[]>(
  db: Database,
  { limit, cursor, offset }: { readonly limit: number; readonly cursor?: string | undefined; readonly offset?: number | undefined },
  { name: listName, key, rows: read, count }: List<Item, Key>,
): Promise<Page<Item>> {
  const after = decodeCursor(cursor, listName, key);
  const [rows, total] = await db.query((sql) => Promise.all([read(sql, { after, offset: offset ?? 0, limit: limit + 1 }), count(sql)]));
  const page = makePage({ listName, rows, limit, offset, after, total, key: (row) => row.key });
  return { ...page, items: page.items.map((row) => row.record) };
}
