import type { alertStatuses, severities } from "../../contract/constants.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import type { ChannelResult } from "../notifications/notification.ts";
import { type Alert, type AlertRow, recordOf } from "./alert.ts";

type AlertStatus = (typeof alertStatuses)[number];

/** Columns of an alert row, for `alerts a`. */
export const columns = (sql: Sql) => sql`
  a.alert_id as id, a.event_id, a.rule_id, a.camera_id, a.severity, a.status, a.dedup_key, a.created_at, a.delivered_at, a.acknowledged_at,
  a.dismissed_at, a.alert_metadata
`;

/** Filters of the alert list; a range of creation times includes both ends. */
export interface AlertFilter {
  readonly status?: AlertStatus | undefined;
  readonly severity?: (typeof severities)[number] | undefined;
  readonly ruleId?: string | undefined;
  readonly cameraId?: string | undefined;
  readonly eventId?: number | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

const conditions = (sql: Sql, { status, severity, ruleId, cameraId, eventId, from, to }: AlertFilter) => sql`
  ${status ? sql`and a.status = ${status}` : sql``}
  ${severity ? sql`and a.severity = ${severity}` : sql``}
  ${ruleId === undefined ? sql`` : sql`and a.rule_id = ${ruleId}`}
  ${cameraId === undefined ? sql`` : sql`and a.camera_id = ${cameraId}`}
  ${eventId === undefined ? sql`` : sql`and a.event_id = ${eventId}`}
  ${from ? sql`and a.created_at >= ${from}` : sql``}
  ${to ? sql`and a.created_at < ${to}::timestamptz + interval '1 millisecond'` : sql``}
`;

/** Returns a page of the alert list, newest first, each alert with its sort key. */
export async function listAlerts(
  sql: Sql,
  { filter, after, offset, limit }: Slice<TimeKey<string>> & { readonly filter: AlertFilter },
): Promise<readonly Keyed<Alert, TimeKey<string>>[]> {
  const rows = await sql<(AlertRow & { sort_time: string })[]>`
    select ${columns(sql)}, ${keyInstant(sql, sql`a.created_at`)} as sort_time
    from alerts a
    where true
      ${conditions(sql, filter)}
      ${follows(sql, sql`a.created_at, a.alert_id`, after)}
    order by a.created_at desc, a.alert_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...row }) => ({ record: recordOf(row), key: [sort_time, row.id] }));
}

/** Counts the alerts that match the filter exactly. */
export async function countAlerts(sql: Sql, filter: AlertFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from alerts a
    where true
      ${conditions(sql, filter)}
  `;
  return row.count;
}

/** Finds an alert by its id; undefined if there is none. */
export async function findAlert(sql: Sql, id: string): Promise<Alert | undefined> {
  const [row] = await sql<[AlertRow?]>`
    select ${columns(sql)}
    from alerts a
    where a.alert_id = ${id}
  `;
  return row && recordOf(row);
}

/** Finds an alert by its id and locks it until the end of the transaction; undefined if there is none. */
export async function lockAlert(sql: Sql, id: string): Promise<Alert | undefined> {
  const [row] = await sql<[AlertRow?]>`
    select ${columns(sql)}
    from alerts a
    where a.alert_id = ${id}
    for no key update
  `;
  return row && recordOf(row);
}

/** Delivery state of an alert. */
export interface AlertProgress {
  readonly status: "pending" | "delivered" | "acknowledged" | "dismissed";
  readonly channels: readonly ChannelResult[];
  readonly reason: string | null;
}

/**
 * Stores the delivery state of an alert; `now` becomes the time of a status that is new. Returns the record, or undefined if there is no
 * such alert.
 */
export async function updateProgress(sql: Sql, id: string, progress: AlertProgress, now: Date): Promise<Alert | undefined> {
  const [row] = await sql<[AlertRow?]>`
    update alerts a
    set status = ${progress.status},
      delivered_at = case when ${progress.status} = 'delivered' then coalesce(a.delivered_at, ${now}) else a.delivered_at end,
      alert_metadata = a.alert_metadata || ${metadataOf(progress)}::text::jsonb,
      updated_at = ${now}
    where a.alert_id = ${id}
    returning ${columns(sql)}
  `;
  return row && recordOf(row);
}

/** Acknowledges or dismisses an alert that is still open. Returns the record, or undefined if there is no such open alert. */
export async function endAlert(
  sql: Sql,
  id: string,
  end: {
    readonly status: "acknowledged" | "dismissed";
    readonly channels: readonly ChannelResult[];
    readonly by: string | undefined;
    readonly reason?: string;
  },
  now: Date,
): Promise<Alert | undefined> {
  const [row] = await sql<[AlertRow?]>`
    update alerts a
    set status = ${end.status},
      acknowledged_at = case when ${end.status} = 'acknowledged' then ${now}::timestamptz end,
      dismissed_at = case when ${end.status} = 'dismissed' then ${now}::timestamptz end,
      alert_metadata = a.alert_metadata || ${JSON.stringify({ channels: end.channels, reason: end.reason ?? null, closed_by: end.by })}::text::jsonb,
      updated_at = ${now}
    where a.alert_id = ${id}
      and a.status in ('pending', 'delivered')
    returning ${columns(sql)}
  `;
  return row && recordOf(row);
}

function metadataOf({ channels, reason }: Pick<AlertProgress, "channels" | "reason">): string {
  return JSON.stringify({ channels, reason });
}
