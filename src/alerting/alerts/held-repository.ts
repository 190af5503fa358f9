import type { Sql } from "../../platform/database/database.ts";
import type { Channel } from "../rules/rule.ts";
import { type Alert, type AlertRow, recordOf } from "./alert.ts";
import { columns } from "./alerts-repository.ts";

/** Holds back the messages of a new alert until a time, and stores why. Returns the alert; undefined if it does not exist. */
export async function holdAlert(
  sql: Sql,
  id: string,
  { until, channels, reason }: { readonly until: Date; readonly channels: readonly Channel[]; readonly reason: string },
): Promise<Alert | undefined> {
  const [row] = await sql<[AlertRow?]>`
    update alerts a
    set held_until = ${until}, held_channels = ${[...channels]}::text[],
      alert_metadata = a.alert_metadata || ${JSON.stringify({ reason })}::text::jsonb
    where a.alert_id = ${id}
    returning ${columns(sql)}
  `;
  return row && recordOf(row);
}

/** Returns when the next alert that is held back is due; undefined if none is. */
export async function nextHeldAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<[{ at: Date | null }]>`
    select min(a.held_until) as at
    from alerts a
    where a.held_until is not null
      and a.status = 'pending'
  `;
  return row.at ?? undefined;
}

/** An alert that is held back, and the channels that it is sent through. */
export interface HeldAlert {
  readonly id: string;
  readonly channels: readonly Channel[];
}

/** Returns the alerts whose entry delay is over, oldest first. */
export async function dueHeld(sql: Sql, now: Date, limit: number): Promise<readonly HeldAlert[]> {
  return await sql<HeldAlert[]>`
    select a.alert_id as id, coalesce(a.held_channels, '{}') as channels
    from alerts a
    where a.held_until <= ${now}
      and a.status = 'pending'
    order by a.held_until, a.alert_id
    limit ${limit}
  `;
}

/** Ends the hold of an alert. Returns whether it was still held back and pending. */
export async function endHold(sql: Sql, id: string): Promise<boolean> {
  const ended = await sql`
    update alerts a
    set held_until = null
    where a.alert_id = ${id}
      and a.held_until is not null
      and a.status = 'pending'
  `;
  return ended.count > 0;
}

/** Returns the alerts that are held back and whose rules do not alert in a mode, in the common lock order. */
export async function heldExceptIn(sql: Sql, mode: string): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select a.alert_id as id
    from alerts a
    join rules r on r.rule_id = a.rule_id
    where a.held_until is not null
      and a.status = 'pending'
      and not r.modes @> array[${mode}::text]
    order by a.alert_id
  `;
  return rows.map(({ id }) => id);
}

/** Drops the holds of alerts, for a restore that holds messages back. */
export async function dropHolds(sql: Sql): Promise<void> {
  await sql`update alerts a set held_until = null where a.held_until is not null`;
}

/** Moves holds that began in the future (the clock was set back) to now, so that they last no longer than intended. */
export async function bringForwardHolds(sql: Sql, now: Date): Promise<void> {
  await sql`
    update alerts a
    set held_until = ${now}::timestamptz + (a.held_until - a.created_at)
    where a.held_until is not null
      and a.created_at > ${now}
  `;
}
