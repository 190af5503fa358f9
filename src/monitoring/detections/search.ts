import { z } from "zod";
import { decodeCursor, KeyInstant, makePage } from "../../contract/cursor.ts";
import type { detectionRoutes } from "../../contract/routes/detections.ts";
import type { Sql } from "../../platform/database/database.ts";
import { requireFittingPage, type Slice, textLength, withPageSlot } from "../../platform/database/keyset.ts";
import { parseSearch, phrasesOf, type SearchQuery } from "../../platform/search/query.ts";
import type { Operation } from "../../work/operations/operation.ts";
import { type DetectionFilter, filterOf } from "./detections-repository.ts";
import { type Rank, rank } from "./meaning.ts";
import { classesAtCameras, countFound, type FoundKey, findPhrases, listFound } from "./search-repository.ts";

const listName = "detections/search";
const Key = z.tuple([z.number(), KeyInstant, z.int()]);

/** Answers a search: the most relevant first, then the newest. */
export const searchDetections: Operation<(typeof detectionRoutes)["searchDetections"]> = async ({ query }, { db }) => {
  const { q, limit, cursor, offset } = query;
  const after = decodeCursor(cursor, listName, Key);
  const parsed = parseSearch(q);
  const filter = filterOf(query);
  const read = async (sql: Sql) => {
    const ranks = await ranksOf(sql, parsed, filter);
    const counts: number[] = [];
    for (const each of ranks) counts.push(await countFound(sql, each, filter));
    return [
      await take(sql, ranks, counts, { filter, after, offset: offset ?? 0, limit: limit + 1 }),
      counts.reduce((sum, count) => sum + count, 0),
    ] as const;
  };
  const [rows, total] = await withPageSlot(limit, () => db.query(read));
  requireFittingPage(textLength(rows), rows.length);
  const { items, ...page } = makePage({ listName, rows, limit, offset, after, total, key: (row) => row.key });
  return { items: items.map(({ record, key: [score] }) => ({ ...record, relevance_score: score })), ...page };
};

async function ranksOf(sql: Sql, query: SearchQuery, filter: DetectionFilter): Promise<readonly Rank[]> {
  const places = await classesAtCameras(sql, filter);
  const classes = [...new Set(places.map(({ objectType }) => objectType))];
  return rank(query, places, await findPhrases(sql, phrasesOf(query), classes));
}

/** Reads rows rank by rank until there are enough. */
async function take(
  sql: Sql,
  ranks: readonly Rank[],
  counts: readonly number[],
  slice: Slice<FoundKey> & { readonly filter: DetectionFilter },
) {
  const { filter, after } = slice;
  const rows: Awaited<ReturnType<typeof listFound>>[number][] = [];
  let skip = slice.offset;
  for (const [index, each] of ranks.entries()) {
    const count = counts[index] ?? 0;
    if (rows.length >= slice.limit) break;
    if (count === 0 || (after && each.score > after[0])) continue;
    const continues = after?.[0] === each.score;
    if (!continues && skip >= count) {
      skip -= count;
      continue;
    }
    const found = await listFound(sql, each, {
      filter,
      after: continues ? [after[1], after[2]] : undefined,
      offset: skip,
      limit: slice.limit - rows.length,
    });
    skip = continues ? Math.max(0, skip - count) : 0;
    rows.push(...found);
  }
  return rows;
}
