import type { Sql } from "../../platform/database/database.ts";
import type { RiskLevel } from "../events/event.ts";

/** An event from another source. */
export interface StoredEvent {
  readonly batchId: string | null;
  readonly cameraId: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly score: number | null;
  readonly level: RiskLevel | null;
  readonly summary: string;
  readonly reasoning: string;
}

/** Stores events and returns their ids in the given order; null for an event whose batch already has one. */
export async function insertEvents(sql: Sql, events: readonly StoredEvent[], now: Date): Promise<readonly (number | null)[]> {
  const rows = await sql<{ id: number | null }[]>`
    with given as materialized (
      select n.*, nextval(pg_get_serial_sequence('events', 'event_id')) as event_id
      from unnest(
        ${events.map((event) => event.batchId)}::text[],
        ${events.map((event) => event.cameraId)}::text[],
        ${sql.array(events.map((event) => event.startedAt))}::timestamptz[],
        ${sql.array(events.map((event) => event.endedAt))}::timestamptz[],
        ${events.map((event) => event.score)}::smallint[],
        ${events.map((event) => event.level)}::text[],
        ${events.map((event) => event.summary)}::text[],
        ${events.map((event) => event.reasoning)}::text[]
      ) with ordinality as n (batch_id, camera_id, started_at, ended_at, risk_score, risk_level, summary, reasoning, position)
    ), stored as (
      insert into events (event_id, batch_id, camera_id, started_at, ended_at, risk_score, risk_level, summary, reasoning, analysis_status,
        created_at, updated_at)
      overriding system value
      select g.event_id, g.batch_id, g.camera_id, g.started_at, g.ended_at, g.risk_score, g.risk_level, g.summary, g.reasoning,
        case when g.risk_score is null then 'pending' else 'completed' end, ${now}::timestamptz, ${now}::timestamptz
      from given g
      order by g.position
      on conflict (batch_id) do nothing
      returning event_id
    )
    select s.event_id as id
    from given g
    left join stored s on s.event_id = g.event_id
    order by g.position
  `;
  return rows.map(({ id }) => id);
}

/** Returns the existing cameras that are not deleted. */
export async function liveCameras(sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select c.camera_id as id
    from cameras c
    where c.camera_id = any (${[...ids]}::text[])
      and c.deleted_at is null
  `;
  return new Set(rows.map(({ id }) => id));
}

/** Returns the batch ids that already have an event, deleted events included. */
export async function batchesWithEvents(sql: Sql, batchIds: readonly string[]): Promise<readonly string[]> {
  if (batchIds.length === 0) return [];
  const rows = await sql<{ batchId: string }[]>`
    select e.batch_id as "batchId"
    from events e
    where e.batch_id = any (${[...batchIds]}::text[])
  `;
  return rows.map(({ batchId }) => batchId);
}

/** A detection that an event may include. */
export interface Candidate {
  readonly id: number;
  readonly cameraId: string;
  readonly eventId: number | null;
  /** Its batch is still open and will become a separate event. */
  readonly inOpenBatch: boolean;
}

/** Locks the existing detections until the end of the transaction and returns them. */
export async function lockCandidates(sql: Sql, ids: readonly number[]): Promise<ReadonlyMap<number, Candidate>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<Candidate[]>`
    select d.detection_id as id, d.camera_id as "cameraId", d.event_id as "eventId",
      exists (select from batches b where b.batch_id = d.batch_id and b.status = 'open') as "inOpenBatch"
    from detections d
    where d.detection_id = any (${[...ids]}::bigint[])
    order by d.detection_id
    for no key update of d
  `;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Assigns detections to events. */
export async function attachDetections(
  sql: Sql,
  pairs: readonly { readonly detectionId: number; readonly eventId: number }[],
): Promise<void> {
  await sql`
    update detections d
    set event_id = p.event_id
    from unnest(${pairs.map((pair) => pair.detectionId)}::bigint[], ${pairs.map((pair) => pair.eventId)}::bigint[]) as p (detection_id, event_id)
    where d.detection_id = p.detection_id
  `;
}
