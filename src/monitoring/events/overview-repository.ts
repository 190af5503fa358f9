import type { EventOverview, OutboundEventType } from "../../contract/outbound-events.ts";
import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { restoredAfterEvent } from "../../work/outbox/restores-repository.ts";
import { backlogAfterMs } from "./event.ts";

/** Messages wait this long for a judgement. Workers poll every second, so that a message waits 5 s at most. */
const judgementWaitMs = 4_000;

/** What happened in an event, and until when its messages wait for the judgement; null: they do not. */
export interface Overview {
  readonly event: EventOverview;
  readonly judgementDueAt: Date | null;
  /** The event was over before a restore that holds messages back. */
  readonly isHeldBack: boolean;
}

/** When all of `events e` was stored: for the event of an immediate alert, when its visit was over. */
export const storedAt = (sql: Sql): SqlFragment => sql`coalesce(e.closed_at, e.created_at)`;

/**
 * Returns the time until when messages about `events e` wait for its judgement; null if it is judged, failed, is backlog, or the judgement
 * of the newest event took longer than messages wait. A judge that is away therefore delays no message. Nor is there a wait while the visit
 * goes on, since the event is judged when it is over.
 */
export const judgementDueAt = (sql: Sql, now: Date): SqlFragment => sql`
  case
    when e.analysis_status = 'pending'
      and e.risk_score is null
      and not e.ongoing
      and ${storedAt(sql)} between ${new Date(now.getTime() - judgementWaitMs)} and ${now}
      and e.ended_at > ${new Date(now.getTime() - backlogAfterMs)}
      and coalesce((
        select a.outcome <> 'unavailable' and a.finished_at - a.started_at < ${judgementWaitMs}::float8 * interval '1 millisecond'
        from analysis_attempts a
        order by a.event_id desc, a.attempt desc
        limit 1
      ), true)
    then ${storedAt(sql)} + ${judgementWaitMs}::float8 * interval '1 millisecond'
  end
`;

/**
 * Returns the overviews of events by id. With `types`, returns none unless an enabled webhook subscribes to one of these message types, so
 * that a home without webhooks pays nothing.
 */
export async function findOverviews(
  sql: Sql,
  eventIds: readonly number[],
  now: Date,
  types?: readonly OutboundEventType[],
): Promise<ReadonlyMap<number, Overview>> {
  const rows = await sql<
    (Omit<EventOverview, "event_url" | "thumbnail_url"> & { cover: number | null; judgementDueAt: Date | null; isHeldBack: boolean })[]
  >`
    select e.event_id, e.kind, e.camera_id, c.name as camera_name, e.started_at, e.ended_at, e.risk_score, e.risk_level, e.summary,
      e.object_types, coalesce(seen.counts, '{}'::jsonb) as object_counts, e.cover_detection_id as cover,
      ${judgementDueAt(sql, now)} as "judgementDueAt", ${restoredAfterEvent(sql)} is not null as "isHeldBack"
    from events e
    join cameras c on c.camera_id = e.camera_id
    left join lateral (
      select jsonb_object_agg(m.object_type, m.most) as counts
      from (
        select p.object_type, max(p.number) as most
        from (
          select d.object_type, count(*) as number
          from detections d
          where d.event_id = e.event_id
          group by d.object_type, d.image_id, d.file_path, d.video_offset_seconds
        ) p
        group by p.object_type
      ) m
    ) seen on true
    where e.event_id = any (${[...eventIds]}::bigint[])
      ${types ? sql`and exists (select from webhooks w where w.enabled and w.event_types && ${[...types]}::text[])` : sql``}
  `;
  return new Map(
    rows.map(({ cover, judgementDueAt: due, isHeldBack, ...row }) => {
      const thumbnail_url = cover === null ? null : `/api/detections/${cover}/thumbnail`;
      return [
        row.event_id,
        { event: { ...row, thumbnail_url, event_url: `/api/events/${row.event_id}` }, judgementDueAt: due, isHeldBack },
      ];
    }),
  );
}
