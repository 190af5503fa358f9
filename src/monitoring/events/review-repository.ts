import type { Sql } from "../../platform/database/database.ts";

/** Changes of a person to an event; undefined fields stay. */
export interface Review {
  readonly id: number;
  readonly reviewed?: boolean | undefined;
  readonly notes?: string | undefined;
  readonly pinned?: boolean | undefined;
}

/** Tells whether a review sets anything. */
export const setsAnything = ({ reviewed, notes, pinned }: Review): boolean =>
  reviewed !== undefined || notes !== undefined || pinned !== undefined;

/**
 * Stores reviews of events that are not deleted, one per event, and returns the ids of the events. `by` is the name of the client that
 * pins; an event that is pinned already keeps the name and the time of its pin.
 */
export async function updateReviews(sql: Sql, reviews: readonly Review[], by: string | null, now: Date): Promise<readonly number[]> {
  const rows = await sql<{ id: number }[]>`
    with given as materialized (
      select n.event_id, n.reviewed, n.notes, n.pinned::boolean as pinned
      from unnest(
        ${reviews.map(({ id }) => id)}::bigint[],
        ${reviews.map(({ reviewed }) => (reviewed === undefined ? null : String(reviewed)))}::text[],
        ${reviews.map(({ notes }) => notes ?? null)}::text[],
        ${reviews.map(({ pinned }) => (pinned === undefined ? null : String(pinned)))}::text[]
      ) as n (event_id, reviewed, notes, pinned)
      join events e on e.event_id = n.event_id
      where e.deleted_at is null
      order by e.event_id
      for no key update of e
    )
    update events e
    set reviewed = coalesce(g.reviewed::boolean, e.reviewed), notes = coalesce(g.notes, e.notes), updated_at = ${now},
      pinned_at = case when coalesce(g.pinned, e.pinned_at is not null) then coalesce(e.pinned_at, ${now}) end,
      pinned_by = case
        when not coalesce(g.pinned, e.pinned_at is not null) then null
        when e.pinned_at is null then ${by}::text
        else e.pinned_by
      end
    from given g
    where e.event_id = g.event_id
    returning e.event_id as id
  `;
  return rows.map(({ id }) => id);
}
