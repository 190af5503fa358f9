import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { type Event, type EventRow, recordOf } from "./event.ts";
import { columns } from "./events-repository.ts";

/** Says why a pinned event is not deleted. */
export const pinnedText = (id: number): string => `Event ${id} is pinned; first unpin it: \`homesec events unpin ${id}\``;

/** Marks events as deleted that are not, and not pinned, and returns their ids. Concurrent transactions wait. */
export async function markDeleted(sql: Sql, ids: readonly number[], now: Date): Promise<readonly number[]> {
  const rows = await sql<{ id: number }[]>`
    with chosen as materialized (
      select e.event_id
      from events e
      where e.event_id = any (${[...ids]}::bigint[])
        and e.deleted_at is null
        and e.pinned_at is null
      order by e.event_id
      for update
    )
    update events e
    set deleted_at = ${now}, updated_at = ${now}
    from chosen
    where e.event_id = chosen.event_id
    returning e.event_id as id
  `;
  return rows.map(({ id }) => id);
}

/** Restores a deleted event. False if there is no such event. */
export async function unmarkDeleted(sql: Sql, id: number, now: Date): Promise<boolean> {
  const restored = await sql`
    update events e
    set deleted_at = null, updated_at = ${now}
    where e.event_id = ${id}
      and e.deleted_at is not null
  `;
  return restored.count === 1;
}

/** Returns those of these events that exist, deleted or not. */
export async function existingEvents(sql: Sql, ids: readonly number[]): Promise<ReadonlyMap<number, { readonly isPinned: boolean }>> {
  const rows = await sql<{ id: number; isPinned: boolean }[]>`
    select e.event_id as id, e.pinned_at is not null as "isPinned"
    from events e
    where e.event_id = any (${[...ids]}::bigint[])
  `;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns a page of the deleted events, the last deleted first, each with its sort key. */
export async function listDeleted(sql: Sql, { after, offset, limit }: Slice<TimeKey>): Promise<readonly Keyed<Event, TimeKey>[]> {
  const rows = await sql<(EventRow & { sort_time: string })[]>`
    select ${columns(sql)}, ${keyInstant(sql, sql`e.deleted_at`)} as sort_time
    from events e
    where e.deleted_at is not null
      ${follows(sql, sql`e.deleted_at, e.event_id`, after)}
    order by e.deleted_at desc, e.event_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...row }) => ({ record: recordOf(row), key: [sort_time, row.id] }));
}

/** Counts the deleted events exactly. */
export async function countDeleted(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from events e
    where e.deleted_at is not null
  `;
  return row.count;
}
