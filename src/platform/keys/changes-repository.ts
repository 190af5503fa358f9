import type { KeyRole } from "../../contract/constants.ts";
import type { Sql } from "../database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../database/keyset.ts";

/** A change by a client with a name. */
export interface NewChange {
  readonly by: string;
  readonly role: KeyRole;
  /** Id of the operation, such as `updateEvent`. */
  readonly operation: string;
  /** Addresses of the things below `/api/`, such as `events/12`. */
  readonly subjects: readonly string[];
  /** Names of what the request set; switches with their value, such as `reviewed=true`. */
  readonly fields: readonly string[];
}

/** A stored change. */
export interface Change extends NewChange {
  readonly subjects: string[];
  readonly fields: string[];
  readonly id: number;
  readonly at: Date;
}

const columns = (sql: Sql) => sql`
  c.change_id as id, c.changed_at as at, c.changed_by as by, c.role, c.operation, c.subjects, c.fields
`;

/** Stores a change in the caller's transaction. */
export async function insertChange(sql: Sql, { by, role, operation, subjects, fields }: NewChange, now: Date): Promise<void> {
  await sql`
    insert into changes (changed_at, changed_by, role, operation, subjects, fields)
    values (${now}, ${by}, ${role}, ${operation}, ${[...subjects]}::text[], ${[...fields]}::text[])
  `;
}

const aboutCondition = (sql: Sql, subject: string | undefined) =>
  subject === undefined ? sql`` : sql`and c.subjects @> array[${subject}]::text[]`;

/** Returns a page of the changes, newest first, each with its sort key; `subject` limits them to one thing. */
export async function listChanges(
  sql: Sql,
  { subject, after, offset, limit }: Slice<TimeKey<number>> & { readonly subject?: string | undefined },
): Promise<readonly Keyed<Change, TimeKey<number>>[]> {
  const rows = await sql<(Change & { sort_time: string })[]>`
    select ${columns(sql)}, ${keyInstant(sql, sql`c.changed_at`)} as sort_time
    from changes c
    where true
      ${aboutCondition(sql, subject)}
      ${follows(sql, sql`c.changed_at, c.change_id`, after)}
    order by c.changed_at desc, c.change_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.id] }));
}

/** Counts the changes exactly. */
export async function countChanges(sql: Sql, subject: string | undefined): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from changes c
    where true
      ${aboutCondition(sql, subject)}
  `;
  return row.count;
}

/** Deletes at most `limit` changes from before `before`, and returns how many. */
export async function deleteChangesBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from changes c
    where c.change_id = any (array(select o.change_id from changes o where o.changed_at < ${before} limit ${limit}))
  `;
  return gone.count;
}
