import type { Sql } from "../../../src/platform/database/database.ts";

/** Returns events that were acknowledged but are not stored. */
export async function forgotten(sql: Sql, acknowledged: readonly number[]): Promise<readonly string[]> {
  const [row] = await sql<[{ n: number }]>`
    select count(*) as n
    from unnest(${[...acknowledged]}::bigint[]) as a (event_id)
    where not exists (select from events e where e.event_id = a.event_id)
  `;
  return row.n === 0 ? [] : [`${row.n} of ${acknowledged.length} acknowledged events are not there`];
}

/** Checks that everything marked as sent has arrived under its id, and that everything that arrived has a row. */
export async function wrongMessages(sql: Sql, arrived: readonly string[]): Promise<readonly string[]> {
  const [row] = await sql<[{ never: number; unknown: number }]>`
    with arrived as (
      select distinct a.id from unnest(${[...arrived]}::text[]) as a (id)
    ), known as (
      -- a notification that is joined to another one arrives in its message
      select coalesce(n.joined_to, n.notification_id)::text as id, n.status = 'sent' as sent from notifications n
      union all
      select d.message_id::text, d.status = 'success' from webhook_deliveries d
    )
    select (select count(distinct k.id) from known k where k.sent and k.id not in (select a.id from arrived a)) as never,
      (select count(*) from arrived a where a.id not in (select k.id from known k)) as unknown
  `;
  return [
    ...(row.never === 0 ? [] : [`${row.never} messages that are said to have been sent never arrived`]),
    ...(row.unknown === 0 ? [] : [`${row.unknown} messages arrived of which no row knows`]),
  ];
}
