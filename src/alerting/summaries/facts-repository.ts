import type { z } from "zod";
import type { DaySummary } from "../../contract/routes/summaries.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Span } from "./schedule.ts";

type Summary = z.output<typeof DaySummary>;

/** The events `e` that started in a span, without soft-deleted ones and problems of cameras. */
const eventsIn = (sql: Sql, { start, end }: Span) => sql`
  e.kind = 'event'
  and e.deleted_at is null
  and e.started_at >= ${start}
  and e.started_at < ${end}
`;

/** Counts the events of a span by risk level. */
export async function countEvents(sql: Sql, span: Span): Promise<Summary["events"]> {
  const [row] = await sql<[Summary["events"]]>`
    select count(*)::int as total,
      count(*) filter (where e.risk_level = 'low')::int as low,
      count(*) filter (where e.risk_level = 'medium')::int as medium,
      count(*) filter (where e.risk_level = 'high')::int as high,
      count(*) filter (where e.risk_level = 'critical')::int as critical,
      count(*) filter (where e.risk_level is null)::int as unscored,
      count(*) filter (where not e.reviewed)::int as unreviewed
    from events e
    where ${eventsIn(sql, span)}
  `;
  return row;
}

/** Lists what each camera saw in a span: every camera that exists, and deleted ones with events. */
export async function seenByCamera(sql: Sql, span: Span): Promise<Summary["cameras"]> {
  const cameras = await sql<{ camera_id: string; camera_name: string; events: number }[]>`
    select c.camera_id, c.name as camera_name, coalesce(s.events, 0)::int as events
    from cameras c
    left join (
      select e.camera_id, count(*) as events
      from events e
      where ${eventsIn(sql, span)}
      group by e.camera_id
    ) s on s.camera_id = c.camera_id
    where c.deleted_at is null
      or s.events > 0
    order by coalesce(s.events, 0) desc, lower(c.name), c.camera_id
  `;
  const classes = await sql<{ camera_id: string; object_type: string; events: number }[]>`
    select e.camera_id, t.object_type, count(*)::int as events
    from events e
    cross join unnest(e.object_types) as t (object_type)
    where ${eventsIn(sql, span)}
    group by e.camera_id, t.object_type
    order by count(*) desc, t.object_type
  `;
  return cameras.map((camera) => ({
    ...camera,
    classes: classes.filter(({ camera_id }) => camera_id === camera.camera_id).map(({ object_type, events }) => ({ object_type, events })),
  }));
}

/** Counts the alerts that were raised in a span, by their status now. */
export async function countAlerts(sql: Sql, { start, end }: Span): Promise<Summary["alerts"]> {
  const [row] = await sql<[Summary["alerts"]]>`
    select count(*)::int as total,
      count(*) filter (where a.status = 'acknowledged')::int as acknowledged,
      count(*) filter (where a.status = 'dismissed')::int as dismissed,
      count(*) filter (where a.status in ('pending', 'delivered'))::int as open
    from alerts a
    where a.created_at >= ${start}
      and a.created_at < ${end}
  `;
  return row;
}

/** Counts what was hidden on purpose in a span. */
export async function countHidden(sql: Sql, { start, end }: Span): Promise<Summary["hidden"]> {
  const [row] = await sql<[Summary["hidden"]]>`
    select
      (select count(*) from silenced_alerts s where s.silenced_at >= ${start} and s.silenced_at < ${end})::int as silenced,
      count(*) filter (where d.mask_id is not null)::int as masked,
      count(*) filter (where d.parked_since is not null)::int as parked
    from detections d
    where d.detected_at >= ${start}
      and d.detected_at < ${end}
      and (d.mask_id is not null or d.parked_since is not null)
  `;
  return row;
}

/** Lists the problems that cameras had in a span, oldest first. Leaves out deleted cameras. */
export async function problemsIn(sql: Sql, { start, end }: Span): Promise<Summary["problems"]> {
  return await sql<Summary["problems"]>`
    select i.camera_id, c.name as camera_name, i.reason, i.began_at as started_at, i.ended_at
    from camera_incidents i
    join cameras c on c.camera_id = i.camera_id and c.deleted_at is null
    where i.began_at < ${end}
      and (i.ended_at is null or i.ended_at >= ${start})
    order by i.began_at, i.incident_id
  `;
}
