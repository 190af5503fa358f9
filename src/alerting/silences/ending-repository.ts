import type { Sql } from "../../platform/database/database.ts";
import type { Channel } from "../rules/rule.ts";

/** When the end of a silence is to be taken up next; undefined when there is none. In the past for one that a person has ended. */
export async function nextEndAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<[{ at: Date | null }]>`
    select min(coalesce(s.ended_at, s.ends_at)) as at
    from silences s
    where s.told_at is null
  `;
  return row.at ?? undefined;
}

/** The silences whose end is to be taken up, the earliest first. */
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

/** Locks a silence whose end nobody has taken up; undefined when somebody has. `byHand`: a person ended it. */
export async function lockUntold(sql: Sql, id: string): Promise<{ readonly byHand: boolean } | undefined> {
  const [row] = await sql<[{ byHand: boolean }?]>`
    select s.ended_at is not null as "byHand"
    from silences s
    where s.silence_id = ${id}
      and s.told_at is null
    for no key update
  `;
  return row;
}

/** Takes up the end of a silence. */
export async function markTold(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`
    update silences s
    set ended_at = coalesce(s.ended_at, s.ends_at), told_at = ${now}
    where s.silence_id = ${id}
  `;
}

/** The channels of the rules whose alerts a silence hid, each once. */
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

/** Has silences from the future (the clock was set back) begin now and last for as long as they would have, and no longer. */
export async function bringForwardSilences(sql: Sql, now: Date): Promise<void> {
  await sql`
    update silences s
    set created_at = ${now}, ends_at = ${now}::timestamptz + (s.ends_at - s.created_at)
    where s.created_at > ${now}
      and s.ended_at is null
      and s.told_at is null
  `;
}
