import type { z } from "zod";
import type { EntityDetails as EntityDetailsRecord, Entity as EntityRecord } from "../../contract/routes/entities.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { type Detection, type DetectionRow, recordOf } from "../detections/detection.ts";
import { columns as detectionColumns } from "../detections/detections-repository.ts";
import { noPreview, type PreviewOfBest, previewOfBest } from "../detections/previews-repository.ts";

export type Entity = z.output<typeof EntityRecord>;
export type Visit = z.output<typeof EntityDetailsRecord>["cameras"][number];

/** A detection of an entity. */
export interface Sighting {
  readonly detectionId: number;
  readonly objectType: string;
  readonly cameraId: string;
  readonly confidence: number;
  readonly seenAt: Date;
}

/** Stores a new entity and returns its id. */
export async function insertEntity(sql: Sql, { detectionId, objectType, confidence, seenAt }: Sighting, now: Date): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into entities (
      object_type, first_seen_at, last_seen_at, detection_count, representative_detection_id, representative_confidence, created_at
    )
    values (${objectType}, ${seenAt}, ${seenAt}, 1, ${detectionId}, ${confidence}, ${now})
    returning entity_id as id
  `;
  return row.id;
}

/** Records another sighting of an entity, which the caller has locked. */
export async function recordSighting(sql: Sql, entityId: string, { detectionId, confidence, seenAt }: Sighting): Promise<void> {
  await sql`
    update entities n
    set first_seen_at = least(n.first_seen_at, ${seenAt}), last_seen_at = greatest(n.last_seen_at, ${seenAt}),
      detection_count = n.detection_count + 1,
      representative_detection_id = case when ${confidence}::float8 > n.representative_confidence then ${detectionId}::bigint else n.representative_detection_id end,
      representative_confidence = greatest(n.representative_confidence, ${confidence}::float8)
    where n.entity_id = ${entityId}
  `;
}

/** Records which camera saw an entity. */
export async function noteVisit(sql: Sql, entityId: string, { cameraId, seenAt }: Sighting): Promise<void> {
  await sql`
    insert into entity_cameras as v (entity_id, camera_id, first_seen_at, last_seen_at, detection_count)
    values (${entityId}, ${cameraId}, ${seenAt}, ${seenAt}, 1)
    on conflict (entity_id, camera_id) do update
    set first_seen_at = least(v.first_seen_at, excluded.first_seen_at), last_seen_at = greatest(v.last_seen_at, excluded.last_seen_at),
      detection_count = v.detection_count + 1
  `;
}

/** Locks entities by id until the end of the transaction, and returns those that exist. */
export async function lockEntities(sql: Sql, entityIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (entityIds.length === 0) return new Set();
  const rows = await sql<{ id: string }[]>`
    select n.entity_id as id
    from entities n
    where n.entity_id = any (${[...entityIds]}::uuid[])
    order by n.entity_id
    for update
  `;
  return new Set(rows.map(({ id }) => id));
}

/**
 * The entity of each of these detections. The detection has it only once its enrichment is stored, the vector since the recognition; but
 * vectors expire.
 */
const sightings = (sql: Sql, detectionIds: readonly number[]) => sql`
  select coalesce(d.entity_id, b.entity_id) as entity_id, d.camera_id
  from detections d
  left join embeddings b on b.detection_id = d.detection_id
  where d.detection_id = any (${[...detectionIds]}::bigint[])
    and coalesce(d.entity_id, b.entity_id) is not null
`;

/**
 * Subtracts sightings that are about to be deleted because others replace them. An entity without any other goes. The caller has locked
 * the detections.
 */
export async function forgetSightings(sql: Sql, detectionIds: readonly number[]): Promise<void> {
  const seen = await sql<{ entity_id: string }[]>`${sightings(sql, detectionIds)}`;
  if (seen.length === 0) return;
  await lockEntities(
    sql,
    seen.map(({ entity_id }) => entity_id),
  );
  await sql`
    with gone as materialized (
      select s.entity_id, s.camera_id, count(*) as count
      from (${sightings(sql, detectionIds)}) s
      group by s.entity_id, s.camera_id
    ),
    of_entity as materialized (
      select g.entity_id, sum(g.count) as count
      from gone g
      group by g.entity_id
    ),
    less as (
      update entities n
      set detection_count = n.detection_count - g.count
      from of_entity g
      where n.entity_id = g.entity_id
        and n.detection_count > g.count
    ),
    forgotten as (
      delete from entities n
      using of_entity g
      where n.entity_id = g.entity_id
        and n.detection_count <= g.count
    ),
    fewer_visits as (
      update entity_cameras v
      set detection_count = v.detection_count - g.count
      from gone g
      where v.entity_id = g.entity_id
        and v.camera_id = g.camera_id
        and v.detection_count > g.count
    )
    delete from entity_cameras v
    using gone g
    where v.entity_id = g.entity_id
      and v.camera_id = g.camera_id
      and v.detection_count <= g.count
  `;
}

/** Filters of the entity list: seen at some time in the range, both ends included. */
export interface EntityFilter {
  readonly objectTypes: readonly string[] | undefined;
  readonly cameraIds: readonly string[] | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

const columns = (sql: Sql) => sql`
  n.entity_id as id, n.object_type, n.first_seen_at, n.last_seen_at, n.detection_count, n.created_at as discovered_at,
  array(select v.camera_id from entity_cameras v where v.entity_id = n.entity_id order by v.camera_id) as camera_ids,
  (select d.detection_id from detections d where d.detection_id = n.representative_detection_id) as representative_detection_id,
  ${previewOfBest(sql, sql`n.representative_detection_id`)} as best
`;

const conditions = (sql: Sql, { objectTypes, cameraIds, from, to }: EntityFilter) => sql`
  ${objectTypes ? sql`and n.object_type = any (${[...objectTypes]}::text[])` : sql``}
  ${
    cameraIds
      ? sql`and exists (select 1 from entity_cameras v where v.entity_id = n.entity_id and v.camera_id = any (${[...cameraIds]}::text[]))`
      : sql``
  }
  ${from ? sql`and n.last_seen_at >= ${from}` : sql``}
  ${to ? sql`and n.first_seen_at < ${to}::timestamptz + interval '1 millisecond'` : sql``}
`;

type EntityRow = Omit<Entity, "thumbnail_url" | keyof PreviewOfBest> & { readonly best: PreviewOfBest | null };

function entityOf({ best, ...row }: EntityRow): Entity {
  const { representative_detection_id: id } = row;
  return { ...row, ...(best ?? noPreview), thumbnail_url: id === null ? null : `/api/detections/${id}/thumbnail` };
}

/** Returns a page of the entity list, the newest discovery first, each with its sort key. */
export async function listEntities(
  sql: Sql,
  { filter, after, offset, limit }: Slice<TimeKey<string>> & { readonly filter: EntityFilter },
): Promise<readonly Keyed<Entity, TimeKey<string>>[]> {
  const rows = await sql<(EntityRow & { sort_time: string })[]>`
    select ${columns(sql)}, ${keyInstant(sql, sql`n.created_at`)} as sort_time
    from entities n
    where true
      ${conditions(sql, filter)}
      ${follows(sql, sql`n.created_at, n.entity_id`, after)}
    order by n.created_at desc, n.entity_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...row }) => ({ record: entityOf(row), key: [sort_time, row.id] }));
}

/** Counts the matching entities exactly. */
export async function countEntities(sql: Sql, filter: EntityFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from entities n
    where true
      ${conditions(sql, filter)}
  `;
  return row.count;
}

/** Finds an entity; undefined if there is none. */
export async function findEntity(sql: Sql, id: string): Promise<Entity | undefined> {
  const [row] = await sql<[EntityRow?]>`
    select ${columns(sql)}
    from entities n
    where n.entity_id = ${id}
  `;
  return row && entityOf(row);
}

/** Returns the cameras that saw an entity, latest first. */
export async function visitsOf(sql: Sql, id: string): Promise<readonly Visit[]> {
  return await sql<Visit[]>`
    select v.camera_id, v.first_seen_at, v.last_seen_at, v.detection_count
    from entity_cameras v
    where v.entity_id = ${id}
    order by v.last_seen_at desc, v.camera_id
  `;
}

/** Returns the newest detections of an entity. */
export async function detectionsOfEntity(sql: Sql, id: string, limit: number): Promise<readonly Detection[]> {
  const rows = await sql<DetectionRow[]>`
    select ${detectionColumns(sql)}
    from detections d
    where d.entity_id = ${id}
    order by d.detected_at desc, d.detection_id desc
    limit ${limit}
  `;
  return rows.map(recordOf);
}

/** Deletes at most `limit` entities without detections and vectors, and returns how many. */
export async function deleteUnusedEntities(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    with forgotten as materialized (
      select n.entity_id
      from entities n
      where n.created_at < ${before}
        and not exists (select 1 from embeddings b where b.entity_id = n.entity_id)
        and not exists (select 1 from detections d where d.entity_id = n.entity_id)
      order by n.entity_id
      limit ${limit}
      for update
    )
    delete from entities n
    where n.entity_id = any (array(select forgotten.entity_id from forgotten))
  `;
  return gone.count;
}
