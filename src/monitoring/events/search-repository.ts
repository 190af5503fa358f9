import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import type { SearchQuery } from "../../platform/search/query.ts";
import { type EventFilter, filterConditions } from "./events-repository.ts";

/** Ids are counted in blocks of this size: the blocks with matches show where to rank. */
export const blockSize = 4096;

/** Compiles a query for the index. Cameras whose names contain a word are represented by their ids. */
export async function compileQuery(sql: Sql, query: SearchQuery): Promise<string> {
  const [row] = await sql<[{ words: string }]>`select (${expression(sql, query)})::text as words`;
  return row.words;
}

/** Built from calls with parameters: typed text is never parsed as syntax. */
function expression(sql: Sql, query: SearchQuery): SqlFragment {
  switch (query.kind) {
    case "phrase":
      return sql`event_search_term(${query.text}::text)`;
    case "not":
      return sql`!! ${expression(sql, query.part)}`;
    case "and":
    case "or":
      return query.parts
        .map((part) => sql`(${expression(sql, part)})`)
        .reduce((left, right) => (query.kind === "and" ? sql`${left} && ${right}` : sql`(${left} || ${right})`));
  }
}

/** A compiled query and the filters of the list. */
export interface Search {
  readonly words: string;
  /** The part that must occur, compiled: PostgreSQL ranks an excluded word as a missing one. */
  readonly wanted: string;
  readonly filter: EventFilter;
}

/** Counts the matching events exactly, by blocks of their ids, the highest first. */
export async function countMatches(sql: Sql, search: Search): Promise<readonly { readonly block: number; readonly count: number }[]> {
  return await sql<{ block: number; count: number }[]>`
    select e.event_id / ${blockSize}::bigint as block, count(*) as count
    from event_search e
    where ${matches(sql, search)}
    group by block
    order by block desc
  `;
}

/** A range of ids: from `floor`, below `ceiling`; null means no limit. */
export interface IdRange {
  readonly floor: number;
  readonly ceiling: number | null;
}

/** A matching event. `score` is from 0 to 1, and the same for the same event and query. */
export interface Match {
  readonly id: number;
  readonly score: number;
}

export interface MatchSlice {
  readonly range: IdRange;
  /** Continues after this match. */
  readonly after: Match | undefined;
  readonly offset: number;
  /** Maximum number of matches. */
  readonly limit: number;
}

/** Returns a page of the matches within a range of ids, best first; equally good ones by descending id. */
export async function rankMatches(sql: Sql, search: Search, { range, after, offset, limit }: MatchSlice): Promise<readonly Match[]> {
  return await sql<Match[]>`
    select r.event_id as id, r.score
    from (
      select e.event_id, ts_rank(e.document, ${search.wanted}::text::tsquery) as score
      from event_search e
      where ${matches(sql, search)}
        and e.event_id >= ${range.floor}
        ${range.ceiling === null ? sql`` : sql`and e.event_id < ${range.ceiling}`}
      -- a fence: the score is computed once for each match
      offset 0
    ) r
    where true
      ${after ? sql`and (r.score, r.event_id) < (${after.score}::real, ${after.id}::bigint)` : sql``}
    order by r.score desc, r.event_id desc
    limit ${limit}
    offset ${offset}
  `;
}

const matches = (sql: Sql, { words, filter }: Search) => sql`
  e.document @@ ${words}::text::tsquery
  ${filter.cameraIds ? sql`and e.camera_id = any (${[...filter.cameraIds]}::text[])` : sql``}
  ${filterConditions(sql, filter)}
`;

/** Returns the names of these cameras, by id. */
export async function cameraNames(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    select c.camera_id as id, c.name
    from cameras c
    where c.camera_id = any (${[...ids]}::text[])
  `;
  return new Map(rows.map(({ id, name }) => [id, name]));
}
