import type { Sql } from "../../platform/database/database.ts";

/** Returns the events of the detections in a picture, ordered by id. */
export async function eventsOfImage(sql: Sql, imageId: number): Promise<readonly number[]> {
  const rows = await sql<{ eventId: number }[]>`
    select distinct d.event_id as "eventId"
    from detections d
    where d.image_id = ${imageId}
      and d.event_id is not null
    order by d.event_id
  `;
  return rows.map(({ eventId }) => eventId);
}

/** Locks events until the end of the transaction. */
export async function lockEvents(sql: Sql, eventIds: readonly number[]): Promise<void> {
  await sql`
    select e.event_id
    from events e
    where e.event_id = any (${[...eventIds]}::bigint[])
    order by e.event_id
    for no key update
  `;
}

/**
 * Returns the events with a picture whose enrichment is pending: with `fresh`, only pictures that were not postponed because a service
 * did not answer. Looks up the job of each picture: as a plain join, the statement reads the whole backlog for each event as long as the
 * tables have no statistics.
 */
export async function eventsBeingEnriched(
  sql: Sql,
  eventIds: readonly number[],
  { fresh }: { readonly fresh: boolean },
): Promise<ReadonlySet<number>> {
  const rows = await sql<{ eventId: number }[]>`
    select distinct p.event_id as "eventId"
    from (
      select distinct d.event_id, d.image_id::text as subject
      from detections d
      where d.event_id = any (${[...eventIds]}::bigint[])
    ) p
    cross join lateral (
      select
      from jobs j
      where j.queue = 'enrich'
        and j.subject = p.subject
        and j.status <> 'dead'
        ${fresh ? sql`and (j.status = 'running' or j.deferrals = 0)` : sql``}
      limit 1
    ) pending
  `;
  return new Set(rows.map(({ eventId }) => eventId));
}

/** An event whose detections have been enriched. */
export interface EnrichedEvent {
  readonly eventId: number;
  readonly cameraId: string;
  readonly detectionIds: readonly number[];
}

/** Marks events as enriched: those that are not deleted, not marked before, and gained something. */
export async function markEnriched(sql: Sql, eventIds: readonly number[], now: Date): Promise<readonly EnrichedEvent[]> {
  return await sql<EnrichedEvent[]>`
    update events e
    set enriched_at = ${now}
    from (
      select d.event_id, array_agg(d.detection_id order by d.detected_at, d.detection_id) as ids
      from detections d
      where d.event_id = any (${[...eventIds]}::bigint[])
      group by d.event_id
      having bool_or(d.enrichment @? '$.services.* ? (@ == "completed")')
    ) d
    where e.event_id = d.event_id
      -- said once more of the events: while there are no statistics, all of them would be gone through, with the detections for each
      and e.event_id = any (${[...eventIds]}::bigint[])
      and e.enriched_at is null
      -- more detections may join; it is announced when the batch closes
      and not e.ongoing
      and e.deleted_at is null
    returning e.event_id as "eventId", e.camera_id as "cameraId", d.ids as "detectionIds"
  `;
}
