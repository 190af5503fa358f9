import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { decodeCursor, makePage } from "../../contract/cursor.ts";
import type { Sql } from "../../platform/database/database.ts";
import { requireFittingPage, textLength, withPageSlot } from "../../platform/database/keyset.ts";
import { highlight } from "../../platform/search/highlight.ts";
import { parseSearch, type SearchQuery, wantedOf } from "../../platform/search/query.ts";
import type { Operations } from "../../work/operations/operation.ts";
import type { Event } from "./event.ts";
import { filterOf, findEvents } from "./events-repository.ts";
import {
  blockSize,
  cameraNames,
  compileQuery,
  countMatches,
  type IdRange,
  type Match,
  rankMatches,
  type Search,
} from "./search-repository.ts";

const listName = "event-search";
/** The database stores it as a 32-bit number. */
const Score = z
  .number()
  .min(0)
  .max(1)
  .refine((score) => score === 0 || score > 1e-37);
/** Floor and ceiling of the window, score and id. */
const Key = z.tuple([z.int(), z.int().nullable(), Score, z.int()]);

/**
 * Number of matches that are ranked against each other: a word in a million events is not worth a million scores. The newest matches are
 * the first window, and older ones follow window by window. Rarer words need one window.
 */
const windowSize = 5000;

/** Events read with one statement. */
const recordsAtOnce = 100;

interface Window {
  readonly range: IdRange;
  /** Matches in it; undefined for the window of a cursor. */
  readonly count: number | undefined;
  readonly after: Match | undefined;
}

type Found = Match & IdRange;

export const searchOperations: Pick<Operations, "searchEvents"> = {
  searchEvents: async ({ query }, { db }) => {
    const { q, limit, cursor, offset } = query;
    const after = decodeCursor(cursor, listName, Key);
    const parsed = parseSearch(q);
    const read = async (sql: Sql) => {
      const words = await compileQuery(sql, parsed);
      const wanted = await compileQuery(sql, wantedOf(parsed) ?? parsed);
      const search: Search = { words, wanted, filter: filterOf(query) };
      const blocks = await countMatches(sql, search);
      const windows = after
        ? [
            windowOf(after),
            ...windowsOf(
              blocks.filter(({ block }) => block * blockSize < after[0]),
              after[0],
            ),
          ]
        : windowsOf(blocks, null);
      // A cursor contains its own position.
      const found = await rankWindows(sql, search, windows, { offset: after ? 0 : (offset ?? 0), limit: limit + 1 });
      const total = blocks.reduce((sum, { count }) => sum + count, 0);
      return { found, total, records: await recordsOf(sql, found.slice(0, limit)) };
    };
    const { found, total, items } = await withPageSlot(limit, async () => {
      const { records, ...rest } = await db.query(read);
      return { ...rest, items: await highlighted(parsed, records) };
    });
    const page = makePage({
      listName,
      rows: found,
      limit,
      offset,
      after,
      total,
      key: (row) => [row.floor, row.ceiling, row.score, row.id],
    });
    return { ...page, items };
  },
};

function windowOf([floor, ceiling, score, id]: z.output<typeof Key>): Window {
  return { range: { floor, ceiling }, count: undefined, after: { score, id } };
}

/** Cuts the blocks, the highest first, into windows of at least `windowSize` matches. Later matches belong to the first one. */
function windowsOf(blocks: readonly { readonly block: number; readonly count: number }[], top: number | null): readonly Window[] {
  const windows: Window[] = [];
  let ceiling = top;
  let count = 0;
  for (const [at, { block, count: more }] of blocks.entries()) {
    count += more;
    const isLast = at === blocks.length - 1;
    if (count < windowSize && !isLast) continue;
    const floor = isLast ? 0 : block * blockSize;
    windows.push({ range: { floor, ceiling }, count, after: undefined });
    ceiling = floor;
    count = 0;
  }
  return windows;
}

async function rankWindows(
  sql: Sql,
  search: Search,
  windows: readonly Window[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly Found[]> {
  const found: Found[] = [];
  let skip = offset;
  for (const { range, count, after } of windows) {
    if (found.length >= limit) break;
    if (count !== undefined && count <= skip) {
      skip -= count;
      continue;
    }
    const ranked = await rankMatches(sql, search, { range, after, offset: skip, limit: limit - found.length });
    found.push(...ranked.map((match) => ({ ...match, ...range })));
    skip = 0;
  }
  return found;
}

interface FoundRecord {
  readonly event: Event;
  readonly cameraName: string;
  readonly score: number;
}

async function recordsOf(sql: Sql, matches: readonly Match[]): Promise<readonly FoundRecord[]> {
  const events = new Map<number, Event>();
  let text = 0;
  for (let at = 0; at < matches.length; at += recordsAtOnce) {
    const ids = matches.slice(at, at + recordsAtOnce).map(({ id }) => id);
    for (const event of await findEvents(sql, ids)) {
      text += textLength(event);
      events.set(event.id, event);
    }
    requireFittingPage(text, events.size);
  }
  const names = await cameraNames(sql, [...new Set([...events.values()].map((event) => event.camera_id))]);
  return matches.flatMap(({ id, score }) => {
    const event = events.get(id);
    // Deleted since the search.
    if (!event || event.deleted_at) return [];
    return [{ event, cameraName: names.get(event.camera_id) ?? "", score }];
  });
}

/** Searching a thousand long texts takes seconds: yield to other work in between. */
async function highlighted(query: SearchQuery, records: readonly FoundRecord[]) {
  const items = [];
  for (const { event, cameraName, score } of records) {
    const texts = [event.summary, event.notes, cameraName, event.object_types.join(", "), event.reasoning];
    items.push({ ...event, relevance_score: score, highlight: highlight(query, texts) });
    await nextTurn();
  }
  return items;
}
