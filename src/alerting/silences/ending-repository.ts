import type { Sql } from "../../platform/database/database.ts";
import type { Channel } from "../rules/rule.ts";

/**
 * Returns when the next end of a silence must be processed; undefined if there is none. In the past for a silence that was ended by hand.
 */
export async function nextEndAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<[{ at: Date | null }]>`
    select min(coalesce(s.ended_at, s.ends_at)) as at
    from silences s
    where s.told_at is null
  `;
  return row.at ?? undefined;
}

/** Returns the silences whose end must be processed, earliest first. */
export async function dueEnds(sql: Sql, now: Date, limit: number): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select s.silence_id as id
    from silences s
    where s.told_at is null
      and coalesce(s.ended_at, s.ends_at) <= ${now}
    order by coalesce(s.ended_at, s.ends_at), s.silence_id
    limit ${limit}
  `;
  return rows.map(({ id }) => id);
}

/** Locks a silence whose end is not processed yet; undefined if it is. `byHand` tells whether a person ended it. */
export async function lockUnprocessedEnd(sql: Sql, id: string): Promise<{ readonly byHand: boolean } | undefined> {
  const [row] = await sql<[{ byHand: boolean }?]>`
    select s.ended_at is not null as "byHand"
    from silences s
    where s.silence_id = ${id}
      and s.told_at is null
    for no key update
  `;
  return row;
}

/** Marks the end of a silence as processed. */
export async function markEndProcessed(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`
    update silences s
    set ended_at = coalesce(s.ended_at, s.ends_at), told_at = ${now}
    where s.silence_id = ${id}
  `;
}

/** Returns the channels of the rules whose alerts a silence muted, each once. */
export async function channelsOfSilenced(sql: Sql, id: string): Promise<readonly Channel[]> {
  const rows = await sql<{ channel: Channel }[]>`
    select distinct u.channel
    from silenced_alerts h
    cross join unnest(h.channels) as u (channel)
    where h.silence_id = ${id}
    order by u.channel
  `;
  return rows.map(({ channel }) => channel);
}

/** Moves silences from the future (the clock was set back) to now, so that they last no longer than intended. */
export async function bringForwardSilences(sql: Sql, now: Date): Promise<void> {
  await sql`
    update silences s
    set created_at = ${now}, ends_at = ${now}::timestamptz + (s.ends_at - s.created_at)
    where s.created_at > ${now}
      and s.ended_at is null
      and s.told_at is null
  `;
}
