import type { z } from "zod";
import type { ModeSwitch as ModeSwitchRecord } from "../../contract/routes/modes.ts";
import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import type { Switch } from "./timeline.ts";

type ModeSwitch = z.output<typeof ModeSwitchRecord>;

/** Stores a switch at the time when it took effect. */
export async function insertSwitch(sql: Sql, given: Omit<ModeSwitch, "id">): Promise<void> {
  await sql`
    insert into mode_switches (mode, previous_mode, requested_at, switched_at, set_by, source)
    values (${given.mode}, ${given.previous_mode}, ${given.requested_at}, ${given.switched_at}, ${given.set_by}, ${given.source})
  `;
}

const asSwitch = (sql: Sql) => sql`s.mode as name, s.previous_mode as previous, s.switched_at as since, s.set_by as "setBy", s.source`;

/** Returns all switches that are still stored, oldest first. */
export async function allSwitches(sql: Sql): Promise<readonly Switch[]> {
  return await sql<Switch[]>`
    select ${asSwitch(sql)}
    from mode_switches s
    order by s.switched_at, s.switch_id
  `;
}

/** Returns the switch that was in effect at a time, and all later ones, oldest first. */
export async function switchesSince(sql: Sql, time: SqlFragment): Promise<readonly Switch[]> {
  return await sql<Switch[]>`
    select ${asSwitch(sql)}
    from mode_switches s
    where s.switched_at >= coalesce((
      select o.switched_at
      from mode_switches o
      where o.switched_at <= ${time}
      order by o.switched_at desc, o.switch_id desc
      limit 1
    ), '-infinity'::timestamptz)
    order by s.switched_at, s.switch_id
  `;
}

/** Returns the switches between two times, both included, and the one before, oldest first, at most `limit`. */
export async function switchesBetween(
  sql: Sql,
  { from, to, limit }: { readonly from: Date; readonly to: Date; readonly limit: number },
): Promise<readonly Switch[]> {
  return await sql<Switch[]>`
    (
      select ${asSwitch(sql)}
      from mode_switches s
      where s.switched_at < ${from}
      order by s.switched_at desc, s.switch_id desc
      limit 1
    )
    union all
    (
      select ${asSwitch(sql)}
      from mode_switches s
      where s.switched_at between ${from} and ${to}
      order by s.switched_at, s.switch_id
      limit ${limit}
    )
  `;
}

/** Returns a page of the switches, newest first, each with its sort key. */
export async function listSwitches(sql: Sql, { after, offset, limit }: Slice<TimeKey>): Promise<readonly Keyed<ModeSwitch, TimeKey>[]> {
  const rows = await sql<(ModeSwitch & { sort_time: string })[]>`
    select s.switch_id as id, s.mode, s.previous_mode, s.requested_at, s.switched_at, s.set_by, s.source,
      ${keyInstant(sql, sql`s.switched_at`)} as sort_time
    from mode_switches s
    where true
      ${follows(sql, sql`s.switched_at, s.switch_id`, after)}
    order by s.switched_at desc, s.switch_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.id] }));
}

/** Counts the switches that are still stored. */
export async function countSwitches(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*) as count from mode_switches s`;
  return row.count;
}

/** Deletes at most `limit` switches that took effect before `before`, and returns how many. The newest one stays: it says which mode it is. */
export async function deleteSwitchesBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from mode_switches s
    where s.switch_id = any (array(
      select o.switch_id
      from mode_switches o
      where o.switched_at < ${before}
        and o.switch_id <> (select n.switch_id from mode_switches n order by n.switched_at desc, n.switch_id desc limit 1)
      order by o.switched_at
      limit ${limit}
    ))
  `;
  return gone.count;
}
