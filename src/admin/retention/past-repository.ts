import type { Sql } from "../../platform/database/database.ts";

/** Deletes at most `limit` scene changes that were seen before `before`, acknowledged or not, and returns how many. */
export async function deleteSceneChangesBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from scene_changes s
    where s.scene_change_id = any (array(
      select o.scene_change_id
      from scene_changes o
      where o.detected_at < ${before}
      limit ${limit}
    ))
  `;
  return gone.count;
}

/** Deletes at most `limit` camera incidents that ended before `before` and whose event is deleted, and returns how many. */
export async function deleteIncidentsBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from camera_incidents i
    where i.incident_id = any (array(
      select o.incident_id
      from camera_incidents o
      where o.ended_at < ${before}
        and o.event_id is null
      limit ${limit}
    ))
  `;
  return gone.count;
}

/** Deletes at most `limit` silences that ended before `before` and have no summary waiting, and returns how many. */
export async function deleteSilencesBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from silences s
    where s.silence_id = any (array(
      select o.silence_id
      from silences o
      where o.ended_at < ${before}
        and o.told_at is not null
        and not exists (select 1 from notifications n where n.silence_id = o.silence_id and n.finished_at is null)
      limit ${limit}
    ))
  `;
  return gone.count;
}

/** A range of time. With `pictures`, ledger entries count too. */
interface Stretch {
  readonly after: Date;
  readonly until: Date;
  readonly pictures: boolean;
}

/** Counts the rows that a disk cleanup could delete. */
export async function countPast(sql: Sql, { after, until, pictures }: Stretch): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select
      (select count(*) from events e where e.started_at >= ${after} and e.started_at < ${until})
      + (select count(*) from detections d where d.event_id is null and d.detected_at >= ${after} and d.detected_at < ${until})
      + (
        select count(*)
        from images i
        where ${pictures} and i.status in ('processed', 'skipped', 'failed') and i.taken_at >= ${after} and i.taken_at < ${until}
      ) as count
  `;
  return row.count;
}

/**
 * Returns the end of the next part of the past for a disk cleanup: this many rows from `after` on. Undefined if nothing is left up to
 * `until`.
 */
export async function nextPartOfThePast(sql: Sql, { after, until, pictures }: Stretch, rows: number): Promise<Date | undefined> {
  // Each from an index in the right order, and no more of it than a part holds.
  const [row] = await sql<[{ end: Date | null }]>`
    select max(p.time) as end
    from (
      (
        select e.started_at as time
        from events e
        where e.deleted_at is null and e.started_at >= ${after} and e.started_at < ${until}
        order by e.started_at
        limit ${rows}
      )
      union all
      (
        select e.started_at
        from events e
        where e.deleted_at is not null and e.started_at >= ${after} and e.started_at < ${until}
        order by e.started_at
        limit ${rows}
      )
      union all
      (
        select d.detected_at
        from detections d
        where d.event_id is null and d.detected_at >= ${after} and d.detected_at < ${until}
        order by d.detected_at
        limit ${rows}
      )
      union all
      (
        select i.taken_at
        from cameras c
        cross join lateral (
          select n.taken_at
          from images n
          where n.camera_id = c.camera_id
            and n.status in ('processed', 'skipped', 'failed')
            and n.taken_at >= ${after}
            and n.taken_at < ${until}
          order by n.taken_at
          limit ${rows}
        ) i
        where ${pictures}
      )
      order by time
      limit ${rows}
    ) p
  `;
  return row.end ?? undefined;
}
