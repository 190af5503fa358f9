import type { Sql } from "../../platform/database/database.ts";
import type { CameraProblem, Cause } from "./incident.ts";

/** An open incident. */
export interface OpenIncident extends CameraProblem {
  readonly incidentId: number;
  /** Null if its event was permanently deleted. */
  readonly eventId: number | null;
  readonly cameraName: string;
  /** Null for a camera that was never seen. */
  readonly lastSeenAt: Date | null;
}

/** Opens an incident. Returns its id and the camera's name; undefined if it is open already or the camera is deleted. */
export async function insertIncident(
  sql: Sql,
  { cameraId, cause, reason, beganAt }: CameraProblem,
  now: Date,
): Promise<{ readonly incidentId: number; readonly cameraName: string } | undefined> {
  const [row] = await sql<[{ incidentId: number; cameraName: string }?]>`
    with stored as (
      insert into camera_incidents (camera_id, cause, reason, began_at, opened_at)
      select c.camera_id, ${cause}::text, ${reason}::text, ${beganAt}::timestamptz, ${now}::timestamptz
      from cameras c
      where c.camera_id = ${cameraId}
        and c.deleted_at is null
      on conflict (camera_id, cause) where ended_at is null do nothing
      returning incident_id, camera_id
    )
    select s.incident_id as "incidentId", c.name as "cameraName"
    from stored s
    join cameras c on c.camera_id = s.camera_id
  `;
  return row;
}

/** Stores the event of an incident, which has no detections and no analysis. Returns its id. */
export async function insertIncidentEvent(
  sql: Sql,
  event: { readonly incidentId: number; readonly cameraId: string; readonly beganAt: Date; readonly summary: string },
  now: Date,
): Promise<number> {
  const [row] = await sql<[{ eventId: number }]>`
    insert into events (kind, camera_id, started_at, ended_at, summary, analysis_status, created_at, updated_at)
    values ('camera_health', ${event.cameraId}, ${event.beganAt}, greatest(${event.beganAt}::timestamptz, ${now}::timestamptz), ${event.summary},
      'completed', ${now}, ${now})
    returning event_id as "eventId"
  `;
  await sql`
    update camera_incidents i
    set event_id = ${row.eventId}
    where i.incident_id = ${event.incidentId}
  `;
  return row.eventId;
}

/** Returns the open incidents with these causes, of one camera or of all. */
export async function openIncidents(sql: Sql, which: readonly Cause[], cameraId?: string): Promise<readonly OpenIncident[]> {
  return await sql<OpenIncident[]>`
    select i.incident_id as "incidentId", i.camera_id as "cameraId", i.cause, i.reason, i.began_at as "beganAt", i.event_id as "eventId",
      c.name as "cameraName", c.last_seen_at as "lastSeenAt"
    from camera_incidents i
    join cameras c on c.camera_id = i.camera_id
    where i.ended_at is null
      and i.cause = any (${[...which]}::text[])
      ${cameraId === undefined ? sql`` : sql`and i.camera_id = ${cameraId}`}
    order by i.incident_id
  `;
}

/** Sets the end of an incident's event. */
export async function endIncidentEvent(sql: Sql, eventId: number, endedAt: Date, summary: string, now: Date): Promise<void> {
  await sql`
    update events e
    set ended_at = greatest(e.started_at, ${endedAt}::timestamptz), summary = ${summary}, updated_at = ${now}
    where e.event_id = ${eventId}
  `;
}

/** Closes an incident. Returns whether it was open. */
export async function closeIncident(sql: Sql, incidentId: number, endedAt: Date): Promise<boolean> {
  const rows = await sql`
    update camera_incidents i
    set ended_at = greatest(i.began_at, ${endedAt}::timestamptz)
    where i.incident_id = ${incidentId}
      and i.ended_at is null
    returning i.incident_id
  `;
  return rows.length > 0;
}

/** Counts a camera's incidents of one cause that began since a time and ended without intervention. */
export async function countEnded(sql: Sql, cameraId: string, cause: Cause, since: Date): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from camera_incidents i
    where i.camera_id = ${cameraId}
      and i.cause = ${cause}
      and i.opened_at >= ${since}
      and i.ended_at is not null
  `;
  return row.count;
}

/**
 * Returns problems in the status of cameras that have no open incident. `offline` without a reason was set by a person, who knows about
 * it.
 */
export async function unreportedProblems(sql: Sql): Promise<readonly CameraProblem[]> {
  return await sql<CameraProblem[]>`
    select c.camera_id as "cameraId", s.cause, s.began_at as "beganAt", c.status_reason as reason
    from cameras c
    cross join lateral (
      select case when c.status = 'offline' then 'silent' else 'error' end as cause,
        case when c.status = 'offline' then coalesce(c.last_seen_at, c.updated_at) else c.updated_at end as began_at
    ) s
    where c.status in ('offline', 'error')
      and c.status_reason is not null
      and c.deleted_at is null
      and not exists (select from camera_incidents i where i.camera_id = c.camera_id and i.cause = s.cause and i.ended_at is null)
    order by c.camera_id
  `;
}

/** Returns the ids of open incidents that ended with the status of their camera or with its deletion. */
export async function endedByStatus(sql: Sql): Promise<readonly number[]> {
  const rows = await sql<{ id: number }[]>`
    select i.incident_id as id
    from camera_incidents i
    join cameras c on c.camera_id = i.camera_id
    where i.ended_at is null
      and (
        c.deleted_at is not null
        -- it may have come and gone again since somebody looked
        or (i.cause = 'silent' and (c.status not in ('offline', 'error') or c.last_seen_at > i.opened_at))
        or (i.cause = 'error' and c.status <> 'error')
      )
  `;
  return rows.map(({ id }) => id);
}
