import { Schedule } from "../../contract/routes/rules.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Recipient, RecipientDefinition } from "./recipient.ts";

/** The open alerts that wait for the hours of a recipient. */
const heldBack = (sql: Sql) => sql`
  alert_recipients t
  join alerts a on a.alert_id = t.alert_id
  where t.recipient_id = r.recipient_id
    and t.decision = 'held_back'
    and t.due_at is not null
    and a.status in ('pending', 'delivered')
`;

const columns = (sql: Sql) => sql`
  r.recipient_id as id, r.name, r.channels, r.hours, r.severity, r.rule_ids, r.critical_anytime, r.repeat_minutes, r.repeat_times,
  (select o.name from recipients o where o.recipient_id = r.escalate_to) as escalate_to, r.escalate_minutes, r.enabled, r.created_at,
  r.updated_at,
  (select count(*) from ${heldBack(sql)}) as held_alerts,
  (select min(t.due_at) from ${heldBack(sql)}) as held_until
`;

type Row = Omit<Recipient, "hours"> & { readonly hours: unknown };

const recordOf = ({ hours, ...row }: Row): Recipient => ({ ...row, hours: hours === null ? null : Schedule.array().parse(hours) });

/** Lists the recipients by name. */
export async function listRecipients(sql: Sql): Promise<readonly Recipient[]> {
  const rows = await sql<Row[]>`
    select ${columns(sql)}
    from recipients r
    order by lower(r.name)
  `;
  return rows.map(recordOf);
}

/** Finds a recipient. `lock` prevents changes by others until the transaction ends. */
export async function findRecipient(sql: Sql, id: string, lock?: "lock"): Promise<Recipient | undefined> {
  const [row] = await sql<[Row?]>`
    select ${columns(sql)}
    from recipients r
    where r.recipient_id = ${id}
    ${lock ? sql`for no key update` : sql``}
  `;
  return row && recordOf(row);
}

/** Finds a recipient by its name in any case. */
export async function recipientNamed(sql: Sql, name: string): Promise<Recipient | undefined> {
  const [row] = await sql<[Row?]>`
    select ${columns(sql)}
    from recipients r
    where lower(r.name) = lower(${name})
  `;
  return row && recordOf(row);
}

const stored = ({ hours }: RecipientDefinition): string | null => (hours === null ? null : JSON.stringify(hours));

/** Stores a new recipient. Throws a unique violation if another one has its name. */
export async function insertRecipient(sql: Sql, id: string, given: RecipientDefinition, now: Date): Promise<void> {
  await sql`
    insert into recipients (recipient_id, name, channels, hours, severity, rule_ids, critical_anytime, repeat_minutes, repeat_times,
      escalate_to, escalate_minutes, enabled, created_at, updated_at)
    values (${id}, ${given.name}, ${given.channels}::text[], ${stored(given)}::text::jsonb, ${given.severity}, ${given.rule_ids}::uuid[],
      ${given.critical_anytime}, ${given.repeat_minutes}, ${given.repeat_times}, ${idNamed(sql, given.escalate_to)}, ${given.escalate_minutes},
      ${given.enabled}, ${now}, ${now})
  `;
}

/** Stores a changed recipient. Throws a unique violation if another one has its name. */
export async function updateRecipient(sql: Sql, id: string, given: RecipientDefinition, now: Date): Promise<void> {
  await sql`
    update recipients r
    set name = ${given.name}, channels = ${given.channels}::text[], hours = ${stored(given)}::text::jsonb, severity = ${given.severity},
      rule_ids = ${given.rule_ids}::uuid[], critical_anytime = ${given.critical_anytime}, repeat_minutes = ${given.repeat_minutes},
      repeat_times = ${given.repeat_times}, escalate_to = ${idNamed(sql, given.escalate_to)}, escalate_minutes = ${given.escalate_minutes},
      enabled = ${given.enabled}, updated_at = ${now}
    where r.recipient_id = ${id}
  `;
}

const idNamed = (sql: Sql, name: string | null) => sql`(select o.recipient_id from recipients o where lower(o.name) = lower(${name}))`;

/** Deletes a recipient. */
export async function deleteRecipient(sql: Sql, id: string): Promise<void> {
  await sql`delete from recipients r where r.recipient_id = ${id}`;
}

/** The names of the recipients that have a channel, by name. */
export async function recipientsWithChannel(sql: Sql, channel: string): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select r.name
    from recipients r
    where exists (select from unnest(r.channels) as w (word) where lower(w.word) = lower(${channel}))
    order by lower(r.name)
  `;
  return rows.map((row) => row.name);
}
