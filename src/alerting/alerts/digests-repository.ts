import type { Sql } from "../../platform/database/database.ts";
import type { Channel } from "../rules/rule.ts";

/**
 * Schedules a digest for the end of an alert's cooldown and adds these channels to it. One digest per alert, however many events it
 * covers.
 */
export async function awaitDigest(
  sql: Sql,
  digest: { readonly alertId: string; readonly dueAt: Date; readonly channels: readonly Channel[] },
): Promise<void> {
  await sql`
    insert into digests as d (alert_id, due_at, channels)
    select a.alert_id, ${digest.dueAt}::timestamptz, ${[...digest.channels]}::text[]
    from alerts a
    where a.alert_id = ${digest.alertId}
    for key share
    on conflict (alert_id) do update
    set channels = d.channels || excluded.channels
    where not d.channels @> excluded.channels
  `;
}

/** Returns when the next digest is due; undefined if none is waiting. */
export async function nextDigestAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<[{ dueAt: Date | null }]>`
    select min(d.due_at) as "dueAt"
    from digests d
    where d.closed_at is null
  `;
  return row.dueAt ?? undefined;
}

/** Returns the alerts whose digests are due, oldest first. */
export async function dueDigests(sql: Sql, now: Date, limit: number): Promise<readonly string[]> {
  const rows = await sql<{ alertId: string }[]>`
    select d.alert_id as "alertId"
    from digests d
    where d.closed_at is null
      and d.due_at <= ${now}
    order by d.due_at
    limit ${limit}
  `;
  return rows.map(({ alertId }) => alertId);
}

/** Closes the open digest of an alert. Returns its channels, or an empty list if it was closed before. */
export async function closeDigest(sql: Sql, alertId: string, now: Date): Promise<readonly Channel[]> {
  const [row] = await sql<[{ channels: Channel[] }?]>`
    update digests d
    set closed_at = ${now}
    where d.alert_id = ${alertId}
      and d.closed_at is null
    returning d.channels
  `;
  return row?.channels ?? [];
}

/** Moves digests of alerts from the future (the clock was set back) to now, so that they wait no longer than intended. */
export async function bringForwardDigests(sql: Sql, now: Date): Promise<void> {
  await sql`
    update digests d
    set due_at = ${now}::timestamptz + (d.due_at - a.created_at)
    from alerts a
    where a.alert_id = d.alert_id
      and a.created_at > ${now}
      and d.due_at > a.created_at
      and d.closed_at is null
  `;
}
