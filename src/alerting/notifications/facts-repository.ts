import { zonesOfEvent } from "../../monitoring/zones/zones-repository.ts";
import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import type { ChannelTarget } from "../channels/targets.ts";
import type { AlertFacts, HeldBack, HeldBackEvent, SilencedAlerts, SilenceFacts } from "../delivery/message.ts";
import type { Notification } from "./notification.ts";

/** Reads an alert with its event; undefined when it was deleted. */
export async function findAlertFacts(sql: Sql, alertId: string): Promise<AlertFacts | undefined> {
  const [row] = await sql<[AlertFacts?]>`
    select a.alert_id as "alertId", a.status, a.severity, a.dedup_key as "dedupKey", a.rule_name as "ruleName",
      coalesce(v.matched_conditions, '{}') as "matchedConditions", a.created_at as "raisedAt",
      (a.alert_metadata ->> 'late_seconds')::integer as "lateSeconds", a.camera_id as "cameraId", c.name as "cameraName",
      e.event_id as "eventId", e.batch_id as trace, e.kind as "eventKind", i.ended_at as "incidentEndedAt", e.started_at as "startedAt", e.ended_at as "endedAt", e.analysis_status as "analysisStatus", e.risk_score as "riskScore", e.risk_level as "riskLevel",
      e.summary, e.reasoning, e.ongoing as "isOngoing", e.ongoing or coalesce(a.created_at < e.closed_at, false) as "isImmediate",
      coalesce(seen.types, '{}') as "objectTypes", seen.detection_id as "detectionId",
      ${zonesOfEvent(sql)} as zones
    from alerts a
    join events e on e.event_id = a.event_id
    join cameras c on c.camera_id = a.camera_id
    left join camera_incidents i on i.event_id = e.event_id
    left join lateral (
      select r.matched_conditions, d.definition
      from rule_verdicts r
      left join rule_versions d on d.rule_id = r.rule_id and d.version = r.rule_version
      where r.alert_id = a.alert_id
      limit 1
    ) v on true
    left join lateral (
      select array_agg(b.object_type order by b.wanted desc, b.confidence desc, b.detection_id) as types,
        (array_agg(b.detection_id order by b.wanted desc, b.confidence desc, b.detection_id))[1] as detection_id
      from (
        select distinct on (d.object_type) d.object_type, d.confidence, d.detection_id,
          -- case-insensitive, as in the rule
          coalesce(lower((v.definition -> 'object_types')::text)::jsonb ? lower(d.object_type), false) as wanted
        from detections d
        where d.event_id = a.event_id
        order by d.object_type, d.confidence desc, d.detection_id
      ) b
    ) seen on true
    where a.alert_id = ${alertId}
  `;
  return row;
}

/** Lists the ids of at most `limit` detections of an event, newest first: of each file the last one, since a camera may overwrite the same file. */
export async function newestPictures(sql: Sql, eventId: number, limit: number): Promise<readonly number[]> {
  const rows = await sql<{ id: number }[]>`
    select n.detection_id as id
    from (
      select distinct on (d.file_path) d.detection_id, d.detected_at, d.confidence
      from detections d
      where d.event_id = ${eventId}
      order by d.file_path, d.detected_at desc, d.confidence desc, d.detection_id
    ) n
    order by n.detected_at desc, n.confidence desc, n.detection_id
    limit ${limit}
  `;
  return rows.map(({ id }) => id);
}

/** Columns of an event that a message lists, for `events e` and `cameras c`. */
export const heldBackColumns = (sql: Sql): SqlFragment => sql`
  e.event_id as "eventId", e.camera_id as "cameraId", c.name as "cameraName", e.kind as "eventKind", e.started_at as "startedAt",
  e.analysis_status as "analysisStatus", e.risk_score as "riskScore", e.risk_level as "riskLevel", e.summary
`;

/**
 * Reads what an alert's cooldown held back, without deleted events: the count, and at most `limit` events, the riskiest ones, by time.
 * Leaves out the alert's own event for a channel that sent the alert: another rule under the same key may have matched it too.
 */
export async function findHeldBack(
  sql: Sql,
  { alertId, channel, channelId }: Pick<ChannelTarget, "channel" | "channelId"> & { readonly alertId: string },
  limit: number,
): Promise<HeldBack> {
  const rows = await sql<(HeldBackEvent & { count: number })[]>`
    with held as (
      select distinct v.event_id
      from rule_verdicts v
      where v.suppressed_by = ${alertId}
        and not exists (
          select
          from alerts a
          join notifications n on n.alert_id = a.alert_id and n.kind = 'alert'
            and ${channelId === null ? sql`n.channel = ${channel}` : sql`n.channel_id = ${channelId}`}
          where a.alert_id = v.suppressed_by
            and a.event_id = v.event_id
        )
    )
    select ${heldBackColumns(sql)}, count(*) over () as count
    from held h
    join events e on e.event_id = h.event_id
    join cameras c on c.camera_id = e.camera_id
    where e.deleted_at is null
    order by e.risk_score desc nulls last, e.started_at, e.event_id
    limit ${limit}
  `;
  return {
    count: rows[0]?.count ?? 0,
    events: rows.map(({ count: _, ...event }) => event).toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime()),
  };
}

/** Reads a silence that has ended; undefined when it was deleted. */
export async function findSilenceFacts(sql: Sql, silenceId: string): Promise<SilenceFacts | undefined> {
  const [row] = await sql<[SilenceFacts?]>`
    select s.silence_id as "silenceId", s.camera_id as "cameraId", c.name as "cameraName", s.rule_id as "ruleId", s.rule_name as "ruleName", s.reason,
      s.created_at as "startedAt", s.ends_at as "endsAt", s.ended_at as "endedAt"
    from silences s
    left join cameras c on c.camera_id = s.camera_id
    where s.silence_id = ${silenceId}
      and s.ended_at is not null
  `;
  return row;
}

/** Reads what a silence hid: the number of alerts, and at most `limit` of them, the riskiest ones, without deleted events. */
export async function findSilenced(sql: Sql, silenceId: string, limit: number): Promise<SilencedAlerts> {
  const [[total], rows] = await Promise.all([
    sql<[{ count: number }]>`select count(*) as count from silenced_alerts h where h.silence_id = ${silenceId}`,
    sql<SilencedAlerts["events"][number][]>`
      select ${heldBackColumns(sql)}, h.rule_name as "ruleName"
      from silenced_alerts h
      join events e on e.event_id = h.event_id
      join cameras c on c.camera_id = e.camera_id
      where h.silence_id = ${silenceId}
        and e.deleted_at is null
      order by e.risk_score desc nulls last, e.started_at, e.event_id, h.rule_name, h.rule_id
      limit ${limit}
    `,
  ]);
  return { count: total.count, events: rows.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime()) };
}

/** Returns the sentence that says why an alert reaches a recipient again, or after another recipient; undefined for any other message. */
export async function reminderOf(sql: Sql, { kind, alertId, recipientId, round }: Notification): Promise<string | undefined> {
  if (kind === "repeat") return `No one has acknowledged this alert yet (repeat ${round}).`;
  if (kind !== "alert" || recipientId === null) return undefined;
  const [row] = await sql<[{ from: string | null }?]>`
    select t.escalated_from as "from"
    from alert_recipients t
    where t.alert_id = ${alertId}
      and t.recipient_id = ${recipientId}
  `;
  return row?.from ? `${row.from} has not acknowledged this alert.` : undefined;
}
