import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import type { SearchQuery } from "../../platform/search/query.ts";
import type { Detection, DetectionRow } from "./detection.ts";
import { recordOf } from "./detection.ts";
import { columns, type DetectionFilter, whereDetections, wholeDays } from "./detections-repository.ts";
import { holdsWithoutWords, type PhrasePlaces, type Place, type Rank, type Run } from "./meaning.ts";

/** Sort key of a search: relevance, time with all its digits, and id. */
export type FoundKey = readonly [score: number, ...TimeKey];

/** Returns every class at every camera with detections that pass the filter. */
export async function classesAtCameras(sql: Sql, filter: DetectionFilter): Promise<readonly Place[]> {
  const days = wholeDays(filter);
  return await sql<Place[]>`
    select p.camera_id as "cameraId", p.object_type as "objectType", sum(p.count)::bigint as count
    from detections_per_day p
    where true
      ${filter.cameraIds ? sql`and p.camera_id = any (${[...filter.cameraIds]}::text[])` : sql``}
      ${filter.objectTypes ? sql`and p.object_type = any (${[...filter.objectTypes]}::text[])` : sql``}
      ${days?.first ? sql`and p.day >= ${days.first}::date` : sql``}
      ${days?.last ? sql`and p.day <= ${days.last}::date` : sql``}
    group by p.camera_id, p.object_type
    having sum(p.count) > 0
    order by p.camera_id, p.object_type
  `;
}

/** Finds the classes, and the cameras by name or id, that contain each phrase. A plural finds a class too. */
export async function findPhrases(sql: Sql, phrases: readonly string[], classes: readonly string[]): Promise<PhrasePlaces> {
  const rows = await sql<{ phrase: string; cameras: string[]; classes: string[] }[]>`
    select p.phrase,
      array(
        select c.camera_id
        from cameras c
        where to_tsvector('pg_catalog.simple', search_folded(c.name)) @@ search_term(p.phrase)
          or to_tsvector('pg_catalog.simple', search_folded(c.camera_id)) @@ search_term(p.phrase)
      ) as cameras,
      array(
        select t.object_type
        from unnest(${[...classes]}::text[]) as t (object_type)
        where to_tsvector('pg_catalog.simple', search_folded(t.object_type)) @@ search_term(p.phrase)
          or lower(p.phrase) in (t.object_type || 's', t.object_type || 'es')
          or (lower(p.phrase) = 'people' and t.object_type = 'person')
      ) as classes
    from unnest(${[...phrases]}::text[]) as p (phrase)
  `;
  return {
    cameras: new Map(rows.map((row) => [row.phrase, new Set(row.cameras)])),
    classes: new Map(rows.map((row) => [row.phrase, new Set(row.classes)])),
  };
}

/** Returns a page of the results at one relevance, newest first, each with its sort key. */
export async function listFound(
  sql: Sql,
  { score, runs }: Rank,
  { filter, after, offset, limit }: Slice<TimeKey> & { readonly filter: DetectionFilter },
): Promise<readonly Keyed<Detection, FoundKey>[]> {
  const conditions = sql`
    ${rowFilter(sql, filter)}
    ${follows(sql, sql`d.detected_at, d.detection_id`, after)}
  `;
  const parts = runs.map((run) => sql`(${newest(sql, run, conditions, offset + limit)})`);
  const rows = await sql<(DetectionRow & { sort_time: string })[]>`
    with page as (
      select f.detection_id, f.detected_at
      from (${united(sql, parts)}) f
      order by f.detected_at desc, f.detection_id desc
      limit ${limit}
      offset ${offset}
    )
    select ${columns(sql)}, ${keyInstant(sql, sql`d.detected_at`)} as sort_time
    from page
    join detections d on d.detection_id = page.detection_id
    order by page.detected_at desc, page.detection_id desc
  `;
  return rows.map(({ sort_time, ...row }) => ({ record: recordOf(row), key: [score, sort_time, row.id] }));
}

/** Counts the results at one relevance exactly. If neither words nor rows must be checked, from the roll-up. */
export async function countFound(sql: Sql, { runs }: Rank, filter: DetectionFilter): Promise<number> {
  let count = 0;
  for (const run of runs) {
    const known = wholeDays(filter) ? run.places.reduce((sum, place) => sum + place.count, 0) : undefined;
    if (run.words === true) {
      count += known ?? (await countRows(sql, run, filter, sql``));
    } else if (!holdsWithoutWords(run.words)) {
      count += await countRows(sql, run, filter, sql`and d.words @@ ${tsquery(sql, run.words)}`);
    } else {
      // Nearly all rows match: counting the others is cheaper.
      const all = known ?? (await countRows(sql, run, filter, sql``));
      count += all - (await countRows(sql, run, filter, sql`and d.words @@ ${tsquery(sql, { kind: "not", part: run.words })}`));
    }
  }
  return count;
}

type Fragment = ReturnType<typeof columns>;

async function countRows(sql: Sql, run: Run, filter: DetectionFilter, words: Fragment): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from detections d
    where ${inPlaces(sql, run)} ${words} ${rowFilter(sql, filter)}
  `;
  return row.count;
}

/** Returns the newest rows of a run. */
function newest(sql: Sql, run: Run, conditions: Fragment, limit: number): Fragment {
  const order = sql`order by d.detected_at desc, d.detection_id desc limit ${limit}`;
  if (run.words !== true && !holdsWithoutWords(run.words)) {
    return sql`
      select d.detection_id, d.detected_at
      from detections d
      where d.words @@ ${tsquery(sql, run.words)} and ${inPlaces(sql, run)} ${conditions}
      ${order}
    `;
  }
  const words = run.words === true ? sql`` : sql`and (d.words is null or d.words @@ ${tsquery(sql, run.words)})`;
  // Merges one index walk per class and camera.
  return sql`
    select d.detection_id, d.detected_at
    from ${placesOf(sql, run)}
    cross join lateral (
      select d.detection_id, d.detected_at
      from detections d
      where d.camera_id = p.camera_id and d.object_type = p.object_type ${words} ${conditions}
      ${order}
    ) d
    ${order}
  `;
}

const inPlaces = (sql: Sql, run: Run): Fragment => sql`
  (d.camera_id, d.object_type) in (select p.camera_id, p.object_type from ${placesOf(sql, run)})
`;

const placesOf = (sql: Sql, { places }: Run): Fragment => sql`
  unnest(${places.map((place) => place.cameraId)}::text[], ${places.map((place) => place.objectType)}::text[]) as p (camera_id, object_type)
`;

/** Conditions of a filter that the places do not cover. */
const rowFilter = (sql: Sql, { cameraIds: _cameras, objectTypes: _classes, ...others }: DetectionFilter): Fragment =>
  sql`${whereDetections(sql, others)}`;

/** Converts a query to PostgreSQL's text search form. */
function tsquery(sql: Sql, query: SearchQuery): Fragment {
  if (query.kind === "phrase") return sql`search_term(${query.text})`;
  if (query.kind === "not") return sql`!!(${tsquery(sql, query.part)})`;
  const [first, ...others] = query.parts.map((part) => tsquery(sql, part));
  if (!first) throw new Error("a query joins at least two parts");
  return others.reduce((joined, part) => (query.kind === "and" ? sql`(${joined} && ${part})` : sql`(${joined} || ${part})`), first);
}

function united(sql: Sql, parts: readonly Fragment[]): Fragment {
  const [first, ...others] = parts;
  if (!first) throw new Error("a rank has at least one run");
  return others.reduce((joined, part) => sql`${joined} union all ${part}`, first);
}
