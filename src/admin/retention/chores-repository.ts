import { latestPast } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";

/**
 * Claims a chore that was last done before `dueSince`, or in the future because the clock was set back, so that one of several processes
 * does it. Returns when it was last done, or undefined if it is not due. An unknown chore counts as done now.
 */
export async function takeChore(sql: Sql, name: string, dueSince: Date, now: Date): Promise<Date | undefined> {
  await sql`
    insert into chores (name, last_run_at)
    values (${name}, ${now})
    on conflict (name) do nothing
  `;
  const [row] = await sql<[{ before: Date }?]>`
    with taken as (
      select c.name, c.last_run_at
      from chores c
      where c.name = ${name}
        and (c.last_run_at < ${dueSince} or c.last_run_at > ${latestPast(now)})
      for update
    )
    update chores c
    set last_run_at = ${now}
    from taken t
    where c.name = t.name
    returning t.last_run_at as before
  `;
  return row?.before;
}

/** Records when a known chore was last done. */
export async function noteChore(sql: Sql, name: string, lastRunAt: Date): Promise<void> {
  await sql`
    update chores c
    set last_run_at = ${lastRunAt}
    where c.name = ${name}
  `;
}

/** Returns the earliest time recorded under this name since it was cleared, this one included. */
export async function firstNoted(sql: Sql, name: string, now: Date): Promise<Date> {
  const [row] = await sql<[{ at: Date }]>`
    insert into chores (name, last_run_at)
    values (${name}, ${now})
    on conflict (name) do update
    set last_run_at = least(chores.last_run_at, excluded.last_run_at)
    returning last_run_at as at
  `;
  return row.at;
}

/** Records a time under this name. Returns the previous one, if any. Must run in a transaction. */
export async function noteNext(sql: Sql, name: string, now: Date): Promise<Date | undefined> {
  const [row] = await sql<[{ before: Date }?]>`
    select c.last_run_at as before
    from chores c
    where c.name = ${name}
    for update
  `;
  await sql`
    insert into chores (name, last_run_at)
    values (${name}, ${now})
    on conflict (name) do update
    set last_run_at = excluded.last_run_at
  `;
  return row?.before;
}

/** Returns the time recorded under this name. */
export async function whenNoted(sql: Sql, name: string): Promise<Date | undefined> {
  const [row] = await sql<[{ at: Date }?]>`
    select c.last_run_at as at
    from chores c
    where c.name = ${name}
  `;
  return row?.at;
}

/** Clears the time recorded under this name. */
export async function forgetChore(sql: Sql, name: string): Promise<void> {
  await sql`
    delete from chores c
    where c.name = ${name}
  `;
}
