import { z } from "zod";
import { Schedule } from "../../contract/routes/rules.ts";
import type { Sql } from "../../platform/database/database.ts";
import { isBuiltIn, type Mode, withBuiltIn } from "./mode.ts";

/** Returns all modes: the built-in ones first, then the others by name. Throws a `ZodError` if a stored schedule is invalid. */
export async function allModes(sql: Sql): Promise<readonly Mode[]> {
  const rows = await sql<(Omit<Mode, "built_in" | "schedule"> & { readonly schedule: unknown })[]>`
    select m.mode as name, m.exit_delay_seconds, m.entry_delay_seconds, m.schedule
    from modes m
  `;
  return withBuiltIn(rows.map((row) => ({ ...row, built_in: isBuiltIn(row.name), schedule: Schedule.nullable().parse(row.schedule) })));
}

/** Stores a mode, in place of one with the same name. */
export async function storeMode(sql: Sql, mode: Mode, now: Date): Promise<void> {
  const schedule = mode.schedule === null ? null : JSON.stringify(z.encode(Schedule, mode.schedule));
  await sql`
    insert into modes as m (mode, exit_delay_seconds, entry_delay_seconds, schedule, created_at, updated_at)
    values (${mode.name}, ${mode.exit_delay_seconds}, ${mode.entry_delay_seconds}, ${schedule}::text::jsonb, ${now}, ${now})
    on conflict (mode) do update
    set exit_delay_seconds = excluded.exit_delay_seconds, entry_delay_seconds = excluded.entry_delay_seconds, schedule = excluded.schedule,
      updated_at = excluded.updated_at
  `;
}

/** Deletes a mode. */
export async function removeMode(sql: Sql, name: string): Promise<void> {
  await sql`delete from modes m where m.mode = ${name}`;
}

/** Returns the names of the rules that name a mode, oldest first. */
export async function rulesNaming(sql: Sql, mode: string): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select r.name
    from rules r
    where r.modes @> array[${mode}::text]
    order by r.created_at, r.rule_id
  `;
  return rows.map(({ name }) => name);
}
