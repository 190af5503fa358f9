import { createHash } from "node:crypto";
import { z } from "zod";
import type { Pagination } from "./page.ts";
import { Problem } from "./problem.ts";
import { unstorable } from "./text.ts";

/** One column of a sort key, as stored in a cursor. */
export type KeyPart = string | number | null;

/**
 * A timestamp in a sort key: ISO 8601 UTC text with all six digits of the database. A `Date` holds only milliseconds, and a truncated key
 * would repeat or skip rows of the same millisecond. In SQL: `keyInstant` (platform/database/keyset.ts).
 */
export const KeyInstant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .refine((text) => isCalendarTime(text.slice(0, 19)));

/** JavaScript accepts February 30 and the year 0; the database does not. */
function isCalendarTime(text: string): boolean {
  const time = new Date(`${text}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === text && time.getUTCFullYear() >= 1;
}

const version = 1;

/** Encodes the sort key of the last row shown as an opaque text. Only `decodeCursor` with the same list name can read it. */
export function encodeCursor(listName: string, key: readonly KeyPart[]): string {
  const content = JSON.stringify([version, listName, ...key]);
  return Buffer.from(checksum(content) + content).toString("base64url");
}

/**
 * Returns the sort key in a cursor, or undefined without a cursor. Throws `Problem("invalid")` at `[query, cursor]` when `encodeCursor`
 * did not create the text for this list, or when it was modified.
 */
export function decodeCursor<K extends readonly KeyPart[]>(
  cursor: string | undefined,
  listName: string,
  schema: z.ZodType<K>,
): K | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const content = text.slice(checksumLength);
  // Also refuse other spellings of the same bytes, such as padding or stray characters
  if (text.slice(0, checksumLength) !== checksum(content) || Buffer.from(text).toString("base64url") !== cursor) throw badCursor();
  const parts: unknown = parse(content);
  if (!Array.isArray(parts) || parts[0] !== version || parts[1] !== listName) throw badCursor();
  if (parts.some((part) => typeof part === "string" && unstorable(part) !== undefined)) throw badCursor();
  const key = schema.safeParse(parts.slice(2));
  if (!key.success) throw badCursor(key.error);
  return key.data;
}

/** The arguments of `makePage`. `rows` has one row more than `limit` when there are more pages. */
export interface PageSource<Row> {
  readonly listName: string;
  readonly rows: readonly Row[];
  readonly limit: number;
  /** The offset in the query; only if there is one does the reply contain the deprecation warning. */
  readonly offset?: number | undefined;
  /** Decoded cursor; undefined on the first page. */
  readonly after: unknown;
  /** Exact number of matching rows, counted by a query beside the one for the rows. */
  readonly total: number;
  readonly key: (row: Row) => readonly KeyPart[];
}

export interface Page<Row> {
  items: Row[];
  pagination: z.output<typeof Pagination>;
  deprecation_warning?: string;
}

/**
 * Builds the envelope of a list: at most `limit` items and a cursor that continues after the last one. When a page without a cursor shows
 * the end of the list, its rows give the total, whatever changed between the query and the count.
 */
export function makePage<Row>({ listName, rows, limit, offset, after, total, key }: PageSource<Row>): Page<Row> {
  const skipped = offset ?? 0;
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const showsEnd = after === undefined && rows.length <= limit && (skipped === 0 || last !== undefined);
  return {
    items,
    pagination: {
      total: showsEnd ? skipped + items.length : total,
      limit,
      offset: skipped,
      next_cursor: hasMore ? encodeCursor(listName, key(last)) : null,
      has_more: hasMore,
    },
    ...(offset !== undefined && { deprecation_warning: "offset is deprecated; pass pagination.next_cursor as cursor instead" }),
  };
}

const checksumLength = 8;

function checksum(content: string): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, checksumLength);
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw badCursor(cause);
  }
}

function badCursor(cause?: unknown): Problem {
  const message =
    "This cursor is not valid for this list; pass pagination.next_cursor of the same list, or omit it to start at the beginning";
  return new Problem("invalid", message, { items: [{ loc: ["query", "cursor"], msg: message, type: "value_error" }], cause });
}
