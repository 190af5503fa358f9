import { eventKinds } from "../../contract/constants.ts";
import type { Request } from "../../contract/route.ts";
import type { Routes } from "../../contract/routes/index.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { previewOfBest } from "../detections/previews-repository.ts";
import { zonesOfEvent } from "../zones/zones-repository.ts";
import { type AnalysisStatus, type Event, type EventKind, type EventRow, type RiskLevel, recordOf } from "./event.ts";

/** Columns of an event row, for `events e`. */
export const columns = (sql: Sql) => sql`
  e.event_id as id, e.kind, e.batch_id, e.camera_id, e.started_at, e.ended_at, e.ongoing, e.risk_score, e.risk_level, e.summary, e.reasoning, e.reviewed, e.notes, e.pinned_at is not null as pinned, e.pinned_at, e.pinned_by,
  e.detection_count, e.object_types, e.cover_detection_id, ${previewOfBest(sql, sql`e.cover_detection_id`)} as best, e.analysis_status, e.risk_factors, e.analyzed_by, e.created_at, e.deleted_at,
  array(
    select d.detection_id
    from detections d
    where d.event_id = e.event_id
    order by d.detected_at, d.detection_id
  ) as detection_ids,
  ${zonesOfEvent(sql)} as zones
`;

/** Returns events by id, soft-deleted ones included, ordered by id. */
export async function findEvents(sql: Sql, ids: readonly number[]): Promise<readonly Event[]> {
  if (ids.length === 0) return [];
  const rows = await sql<EventRow[]>`
    select ${columns(sql)}
    from events e
    where e.event_id = any (${[...ids]}::bigint[])
    order by e.event_id
  `;
  return rows.map(recordOf);
}

/** Creates one event from the detections of each batch. A batch that already has its event, or has no detections left, gets none. */
export async function insertEventsOfBatches(
  sql: Sql,
  batchIds: readonly string[],
  now: Date,
): Promise<readonly { readonly eventId: number; readonly batchId: string }[]> {
  return await sql<{ eventId: number; batchId: string }[]>`
    insert into events (batch_id, camera_id, started_at, ended_at, detection_count, object_types, cover_detection_id, created_at, updated_at)
    select d.batch_id::text, d.camera_id, min(d.detected_at), max(d.detected_at), count(*),
      array_agg(distinct d.object_type order by d.object_type),
      (array_agg(d.detection_id order by d.confidence desc, d.detection_id))[1],
      ${now}::timestamptz, ${now}::timestamptz
    from detections d
    where d.batch_id = any (${[...batchIds]}::uuid[])
      and d.event_id is null
    group by d.batch_id, d.camera_id
    order by min(d.detected_at)
    on conflict (batch_id) do nothing
    returning event_id as "eventId", batch_id as "batchId"
  `;
}

/** The result of an analysis as stored on the event. */
export interface StoredAnalysis {
  readonly status: AnalysisStatus;
  readonly score: number | null;
  readonly level: RiskLevel | null;
  readonly summary: string;
  readonly reasoning: string;
  readonly factors: readonly { readonly name: string; readonly contribution: number; readonly detail?: string | undefined }[];
  readonly analyzedBy: string | null;
}

/**
 * Stores the result of an analysis. Texts from the event's creation stay with its first score. Returns the record; undefined if there is
 * no such event.
 */
export async function updateAnalysis(sql: Sql, id: number, analysis: StoredAnalysis, now: Date): Promise<Event | undefined> {
  await sql`
    update events e
    set analysis_status = ${analysis.status}, risk_score = ${analysis.score}, risk_level = ${analysis.level},
      summary = case when e.risk_score is null and e.summary <> '' then e.summary else ${analysis.summary} end,
      reasoning = case when e.risk_score is null and e.reasoning <> '' then e.reasoning else ${analysis.reasoning} end, risk_factors = ${JSON.stringify(analysis.factors)}::text::jsonb, analyzed_by = ${analysis.analyzedBy},
      updated_at = ${now}
    where e.event_id = ${id}
  `;
  const [event] = await findEvents(sql, [id]);
  return event;
}

/** Records that an analysis failed. Returns the record; undefined if there is no such event. */
export async function markAnalysisFailed(sql: Sql, id: number, now: Date): Promise<Event | undefined> {
  await sql`
    update events e
    set analysis_status = case when e.risk_score is null then 'failed' else 'completed' end, updated_at = ${now}
    where e.event_id = ${id}
  `;
  const [event] = await findEvents(sql, [id]);
  return event;
}

/** Filters of an event list; a range of start times includes both ends. */
export interface EventFilter {
  readonly cameraIds?: readonly string[] | undefined;
  readonly riskLevels?: readonly RiskLevel[] | undefined;
  /** At least one of these classes was detected. */
  readonly objectTypes?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Stored then or later. Not for searches. */
  readonly createdSince?: Date | undefined;
  readonly reviewed?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  readonly minRiskScore?: number | undefined;
  /** Undefined means all kinds. */
  readonly kind?: EventKind | undefined;
}

/** Returns the filter of a list, search or export query. */
export function filterOf(query: Omit<Request<Routes["listEvents"]>["query"], "limit" | "cursor" | "offset">): EventFilter {
  return {
    cameraIds: query.camera_id,
    riskLevels: query.risk_level,
    objectTypes: query.object_type,
    from: query.start_date,
    to: query.end_date,
    createdSince: query.created_since,
    reviewed: query.reviewed,
    pinned: query.pinned,
    minRiskScore: query.min_risk_score,
    kind: query.kind === "all" ? undefined : (query.kind ?? "event"),
  };
}

/** Returns a page of the events that are not deleted, newest first, each with its sort key. */
export async function listEvents(
  sql: Sql,
  { filter, after, offset, limit }: Slice<TimeKey> & { readonly filter: EventFilter },
): Promise<readonly Keyed<Event, TimeKey>[]> {
  const conditions = sql`
    ${filterConditions(sql, filter)}
    ${follows(sql, sql`e.started_at, e.event_id`, after)}
  `;
  // Merges one index walk per camera: a list of cameras as a condition would sort all of them.
  const source = filter.cameraIds
    ? sql`
        from (select distinct u.camera_id from unnest(${[...filter.cameraIds]}::text[]) as u (camera_id)) c
        cross join lateral (
          select e.event_id, e.started_at
          from events e
          where e.camera_id = c.camera_id and e.deleted_at is null ${conditions}
          order by e.started_at desc, e.event_id desc
          limit ${limit + offset}
        ) e
      `
    : sql`from events e where e.deleted_at is null ${conditions}`;
  const rows = await sql<(EventRow & { sort_time: string })[]>`
    with page as (
      select e.event_id, e.started_at
      ${source}
      order by e.started_at desc, e.event_id desc
      limit ${limit}
      offset ${offset}
    )
    select ${columns(sql)}, ${keyInstant(sql, sql`e.started_at`)} as sort_time
    from page
    join events e on e.event_id = page.event_id
    order by page.started_at desc, page.event_id desc
  `;
  return rows.map(({ sort_time, ...row }) => ({ record: recordOf(row), key: [sort_time, row.id] }));
}

/**
 * Counts the matching events that are not deleted, exactly. With conditions on cameras and kind only, camera events come from stored
 * totals.
 */
export async function countEvents(sql: Sql, filter: EventFilter): Promise<number> {
  const { cameraIds, ...others } = filter;
  const { kind, ...conditions } = others;
  const cameras = cameraIds ? [...cameraIds] : null;
  // Incidents are few, and have their own index. As a condition, "not deleted" would be looked up in an index of all events.
  const incidents = sql`
    select count(*) filter (where h.deleted_at is null)
    from events h
    where h.kind = 'camera_health'
      ${cameras ? sql`and h.camera_id = any (${cameras}::text[])` : sql``}
  `;
  const [row] =
    kind !== "camera_health" && Object.values(conditions).every((value) => value === undefined)
      ? await sql<[{ count: number }]>`
        select coalesce(sum(t.count), 0)::bigint${kind === undefined ? sql` + (${incidents})` : sql``} as count
        from totals t
        where t.kind = 'events'
          ${cameras ? sql`and t.camera_id = any (${cameras}::text[])` : sql``}
      `
      : await sql<[{ count: number }]>`
        select count(*) as count
        from events e
        where e.deleted_at is null
          ${cameras ? sql`and e.camera_id = any (${cameras}::text[])` : sql``}
          ${filterConditions(sql, others)}
      `;
  return row.count;
}

/** Conditions of a filter except cameras, for `events e` or `event_search e`. */
export const filterConditions = (
  sql: Sql,
  { riskLevels, objectTypes, from, to, createdSince, reviewed, pinned, minRiskScore, kind }: EventFilter,
) => sql`
  ${riskLevels ? (riskLevels.length === 1 ? sql`and e.risk_level = ${riskLevels[0] ?? ""}` : sql`and e.risk_level = any (${[...riskLevels]}::text[])`) : sql``}
  ${objectTypes ? sql`and e.object_types && ${[...objectTypes]}::text[]` : sql``}
  ${from ? sql`and e.started_at >= ${from}` : sql``}
  ${to ? sql`and e.started_at < ${to}::timestamptz + interval '1 millisecond'` : sql``}
  ${createdSince ? sql`and e.created_at >= ${createdSince}` : sql``}
  ${reviewed === undefined ? sql`` : sql`and e.reviewed = ${reviewed}`}
  ${pinned === undefined ? sql`` : isPinned(sql, pinned)}
  ${minRiskScore === undefined ? sql`` : sql`and e.risk_score >= ${minRiskScore}`}
  ${kind === undefined ? sql`` : ofKind(sql, kind)}
`;

/** Pinned events are few: their ids come from their own index. The search index does not know them. */
const isPinned = (sql: Sql, pinned: boolean) => sql`
  and ${pinned ? sql`` : sql`not`} e.event_id = any (array(select p.event_id from events p where p.pinned_at is not null))
`;

/**
 * Nearly all events are of kind `event`. Without statistics, a condition with `=` seems to leave a handful, which are worth sorting; one
 * that excludes the other kinds seems to leave nearly all.
 */
function ofKind(sql: Sql, kind: EventKind) {
  const others = eventKinds.filter((other) => other !== kind);
  return kind === "event" ? sql`and e.kind <> all (${others}::text[])` : sql`and e.kind = ${kind}`;
}
