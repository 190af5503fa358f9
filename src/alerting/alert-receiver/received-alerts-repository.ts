import type { Sql } from "../../platform/database/database.ts";
import { type Keyed, keyInstant, type Slice } from "../../platform/database/keyset.ts";
import type { AlertFacts, ReceivedAlert } from "./received-alert.ts";

/** An alert, and how often one message contained it. */
export interface CountedAlert {
  readonly facts: AlertFacts;
  readonly count: number;
}

/** Stores alerts. A known alert (same fingerprint, start and state) is counted and updated. Each alert may occur once in the list. */
export async function storeAlerts(sql: Sql, alerts: readonly CountedAlert[], now: Date): Promise<void> {
  const of = <T>(value: (facts: AlertFacts) => T): T[] => alerts.map(({ facts }) => value(facts));
  await sql`
    insert into received_alerts as r (fingerprint, starts_at, status, alertname, severity, component, camera_id, labels, annotations, ends_at,
      generator_url, receiver, group_key, external_url, first_received_at, last_received_at, received_count)
    select a.fingerprint, a.starts_at, a.status, a.alertname, a.severity, a.component, a.camera_id, a.labels::jsonb, a.annotations::jsonb,
      a.ends_at, a.generator_url, a.receiver, a.group_key, a.external_url, ${now}::timestamptz, ${now}::timestamptz, a.received_count
    from unnest(
      ${of(({ fingerprint }) => fingerprint)}::text[],
      ${of(({ started_at }) => started_at.toISOString())}::timestamptz[],
      ${of(({ status }) => status)}::text[],
      ${of(({ alertname }) => alertname)}::text[],
      ${of(({ severity }) => severity)}::text[],
      ${of(({ component }) => component)}::text[],
      ${of(({ camera_id }) => camera_id)}::text[],
      ${of(({ labels }) => JSON.stringify(labels))}::text[],
      ${of(({ annotations }) => JSON.stringify(annotations))}::text[],
      ${of(({ ended_at }) => ended_at?.toISOString() ?? null)}::timestamptz[],
      ${of(({ generator_url }) => generator_url)}::text[],
      ${of(({ receiver }) => receiver)}::text[],
      ${of(({ group_key }) => group_key)}::text[],
      ${of(({ external_url }) => external_url)}::text[],
      ${alerts.map(({ count }) => count)}::integer[]
    ) as a (fingerprint, starts_at, status, alertname, severity, component, camera_id, labels, annotations, ends_at, generator_url, receiver,
      group_key, external_url, received_count)
    order by a.fingerprint, a.starts_at, a.status
    on conflict (fingerprint, starts_at, status) do update
    set alertname = excluded.alertname, severity = excluded.severity, component = excluded.component, camera_id = excluded.camera_id,
      labels = excluded.labels, annotations = excluded.annotations, ends_at = excluded.ends_at, generator_url = excluded.generator_url,
      receiver = excluded.receiver, group_key = excluded.group_key, external_url = excluded.external_url,
      last_received_at = excluded.last_received_at, received_count = r.received_count + excluded.received_count
  `;
}

/** Filters of the list of received alerts; a range of first receipts includes both ends. */
export interface ReceivedAlertFilter {
  readonly status: string | undefined;
  readonly severity: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Sort key of the list, with times in all their digits. A repeat does not change it. */
export type ReceivedAlertKey = readonly [firstReceivedAt: string, fingerprint: string, startsAt: string, status: ReceivedAlert["status"]];

/** Returns a page of the list, the last first receipt first, each alert with its sort key. */
export async function listReceivedAlerts(
  sql: Sql,
  filter: ReceivedAlertFilter,
  { after, offset, limit }: Slice<ReceivedAlertKey>,
): Promise<readonly Keyed<ReceivedAlert, ReceivedAlertKey>[]> {
  const rows = await sql<(ReceivedAlert & { readonly key_received: string; readonly key_started: string })[]>`
    select r.fingerprint, r.status, coalesce(r.alertname, 'unknown') as alertname, r.severity, r.component, r.camera_id,
      coalesce(r.annotations ->> 'summary', '') as summary, coalesce(r.annotations ->> 'description', '') as description,
      r.labels, r.annotations, r.starts_at as started_at, r.ends_at as ended_at, r.generator_url, r.receiver, r.group_key, r.external_url,
      r.first_received_at, r.last_received_at, r.received_count,
      ${keyInstant(sql, sql`r.first_received_at`)} as key_received, ${keyInstant(sql, sql`r.starts_at`)} as key_started
    from received_alerts r
    where ${conditions(sql, filter)}
      ${
        after
          ? sql`and (r.first_received_at, r.fingerprint, r.starts_at, r.status)
              < (${after[0]}::text::timestamptz, ${after[1]}::text, ${after[2]}::text::timestamptz, ${after[3]}::text)`
          : sql``
      }
    order by r.first_received_at desc, r.fingerprint desc, r.starts_at desc, r.status desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ key_received, key_started, ...record }) => ({
    record,
    key: [key_received, record.fingerprint, key_started, record.status],
  }));
}

/** Counts the received alerts that match. */
export async function countReceivedAlerts(sql: Sql, filter: ReceivedAlertFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*) as count from received_alerts r where ${conditions(sql, filter)}`;
  return row.count;
}

const conditions = (sql: Sql, { status, severity, from, to }: ReceivedAlertFilter) => sql`
  true
  ${status === undefined ? sql`` : sql`and r.status = ${status}`}
  ${severity === undefined ? sql`` : sql`and r.severity = ${severity}`}
  ${from ? sql`and r.first_received_at >= ${from}` : sql``}
  ${to ? sql`and r.first_received_at < ${to}::timestamptz + interval '1 millisecond'` : sql``}
`;

/** Deletes at most `limit` alerts whose last receipt was before `before`, and returns how many. */
export async function deleteReceivedAlertsBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from received_alerts r
    using (
      select o.fingerprint, o.starts_at, o.status
      from received_alerts o
      where o.last_received_at < ${before}
      order by o.last_received_at
      limit ${limit}
    ) old
    where (r.fingerprint, r.starts_at, r.status) = (old.fingerprint, old.starts_at, old.status)
  `;
  return gone.count;
}

/**
 * Deletes the alerts beyond the newest `most.rows`, and beyond `most.bytes` of labels, annotations and addresses. Skips alerts that another
 * message is just changing.
 */
export async function deleteReceivedAlertsBeyond(sql: Sql, most: { readonly rows: number; readonly bytes: number }): Promise<void> {
  await sql`
    with numbered as (
      select r.fingerprint, r.starts_at, r.status, row_number() over newest as position,
        sum(pg_column_size(r.labels) + pg_column_size(r.annotations) + coalesce(pg_column_size(r.generator_url), 0)) over newest as bytes
      from received_alerts r
      window newest as (order by r.last_received_at desc, r.fingerprint, r.starts_at, r.status rows unbounded preceding)
    ),
    old as materialized (
      select r.fingerprint, r.starts_at, r.status
      from received_alerts r
      join numbered n on (n.fingerprint, n.starts_at, n.status) = (r.fingerprint, r.starts_at, r.status)
      where n.position > ${most.rows}
        or n.bytes > ${most.bytes}
      for update of r skip locked
    )
    delete from received_alerts r
    using old
    where (r.fingerprint, r.starts_at, r.status) = (old.fingerprint, old.starts_at, old.status)
  `;
}
