import { advisoryLocks, type Sql } from "../../platform/database/database.ts";
import { evidenceKey } from "../../platform/secrets/open-sealer.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { joined, noRows, type SealedDay, type SealedTable, type Sums, sealedTables } from "./chain.ts";

/** A sealed day with the key file that its rows need. */
export interface StoredDay extends SealedDay {
  readonly keyFile: string;
}

/** Gives this session the key of row hashes: for a check through any connection. */
export async function useEvidenceKey(sql: Sql, sealer: Pick<Sealer, "sign">): Promise<void> {
  await sql`select set_config('homesec.evidence_key', ${evidenceKey(sealer)}, false)`;
}

/** Waits for transactions that change rows of sealed days, and keeps new ones waiting until the end of this one. */
export async function lockDays(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.evidenceDays}, 0)`;
}

type StoredColumns = Omit<StoredDay, "public_key"> & { readonly publicKey: Uint8Array };

const columns = (sql: Sql) => sql`
  d.day::text as day, d.records, encode(d.previous_hash, 'hex') as previous_hash, encode(d.hash, 'hex') as hash,
  d.public_key as "publicKey", encode(d.signature, 'hex') as signature, d.key_file as "keyFile"
`;

const dayOfRow = ({ publicKey, ...row }: StoredColumns): StoredDay => ({
  ...row,
  public_key: Buffer.from(publicKey).toString("base64url"),
});

/** Returns the newest sealed day. */
export async function newestDay(sql: Sql): Promise<StoredDay | undefined> {
  const [row] = await sql<StoredColumns[]>`select ${columns(sql)} from evidence_days d order by d.day desc limit 1`;
  return row && dayOfRow(row);
}

/** Returns the first sealed days from a day on, oldest first. */
export async function daysFrom(sql: Sql, from: string, limit: number): Promise<readonly StoredDay[]> {
  const rows = await sql<StoredColumns[]>`
    select ${columns(sql)}
    from evidence_days d
    where d.day >= ${from}::text::date
    order by d.day
    limit ${limit}
  `;
  return rows.map(dayOfRow);
}

/** Returns the day whose hash begins with a text. */
export async function dayOfHash(sql: Sql, start: string): Promise<string | undefined> {
  const [row] = await sql<{ readonly day: string }[]>`
    select d.day::text as day from evidence_days d where starts_with(encode(d.hash, 'hex'), ${start}) limit 1
  `;
  return row?.day;
}

/** Stores a sealed day. */
export async function insertDay(sql: Sql, day: StoredDay, now: Date): Promise<void> {
  await sql`
    insert into evidence_days (day, records, previous_hash, hash, public_key, signature, key_file, sealed_at)
    values (
      ${day.day}::text::date, ${sql.json(day.records as never)}, ${Buffer.from(day.previous_hash, "hex")}, ${Buffer.from(day.hash, "hex")},
      ${Buffer.from(day.public_key, "base64url")}, ${Buffer.from(day.signature, "hex")}, ${day.keyFile}, ${now}
    )
  `;
}

/** Makes one row of the corrections of a day and table, so that they do not grow. Needs `lockDays`. */
export async function foldCorrections(sql: Sql): Promise<void> {
  await sql`
    with several as (
      select c.day, c.record from evidence_corrections c group by c.day, c.record having count(*) > 1
    ), gone as (
      delete from evidence_corrections c
      using several s
      where c.day = s.day and c.record = s.record
      returning c.day, c.record, c.rows, c.ids, c.hash
    )
    insert into evidence_corrections (day, record, rows, ids, hash)
    select g.day, g.record, sum(g.rows), bit_xor(g.ids), bit_xor(g.hash)
    from gone g
    group by g.day, g.record
  `;
}

/** The sums of days, by day and table: of the present rows, and of what homesec changed since each day was sealed. */
export interface PresentSums {
  readonly present: ReadonlyMap<string, Readonly<Record<string, Sums>>>;
  readonly corrections: ReadonlyMap<string, Readonly<Record<string, Sums>>>;
}

/** When a row of each table belongs to a day. */
const timeColumns = {
  alerts: "created_at",
  changes: "changed_at",
  detections: "created_at",
  events: "created_at",
  images: "found_at",
  journal: "created_at",
} as const satisfies Record<SealedTable, string>;

interface SumRow {
  readonly kind: "present" | "correction";
  readonly day: string;
  readonly record: string;
  readonly rows: number;
  readonly ids: string;
  /** A text of 256 zeros and ones. */
  readonly bits: string;
}

/**
 * Adds up the rows from one time to another, in one statement and so in one snapshot. It reads each table once, whatever the number of
 * days, and holds no rows. Needs the key of evidence in the session.
 */
export async function sumDays(sql: Sql, { from, before }: { readonly from: Date; readonly before: Date }): Promise<PresentSums> {
  const ofTable = (table: SealedTable) => {
    const time = sql(`t.${timeColumns[table]}`);
    return sql`
      select 'present' as kind, v.day::text as day, ${table}::text as record, count(*) as rows, bit_xor(v.id)::text as ids,
        bit_xor(v.hash)::text as bits
      from ${sql(table)} t
      cross join lateral evidence_of(t) v
      where ${time} >= ${from} and ${time} < ${before}
      group by v.day
      union all
    `;
  };
  const rows = await sql<SumRow[]>`
    ${sealedTables.map(ofTable)}
    select 'correction' as kind, c.day::text as day, c.record, sum(c.rows)::bigint as rows, bit_xor(c.ids)::text as ids,
      bit_xor(c.hash)::text as bits
    from evidence_corrections c
    where c.day >= (${from} at time zone 'UTC')::date and c.day < (${before} at time zone 'UTC')::date
    group by c.day, c.record
  `;
  return { present: byDay(rows, "present"), corrections: byDay(rows, "correction") };
}

function byDay(rows: readonly SumRow[], wanted: SumRow["kind"]): ReadonlyMap<string, Readonly<Record<string, Sums>>> {
  const days = new Map<string, Record<string, Sums>>();
  for (const { kind, day, record, rows: count, ids, bits } of rows) {
    if (kind !== wanted) continue;
    const of = days.get(day) ?? {};
    of[record] = joined(of[record] ?? noRows, { rows: count, ids, hash: BigInt(`0b${bits}`).toString(16).padStart(64, "0") });
    days.set(day, of);
  }
  return days;
}
