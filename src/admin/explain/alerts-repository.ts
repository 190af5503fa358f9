import type { AlertRow } from "../../alerting/alerts/alert.ts";
import { columns } from "../../alerting/alerts/alerts-repository.ts";
import { outOfMode, outOfSchedule } from "../../alerting/rules/conditions.ts";
import type { Sql } from "../../platform/database/database.ts";

/** The verdict of a rule on an event, with the alert or the silence that suppressed it. */
export interface VerdictFacts {
  readonly rule_id: string;
  readonly rule_name: string;
  readonly rule_version: number;
  readonly outcome: "raised" | "suppressed" | "not_matched";
  readonly matched_conditions: readonly string[];
  readonly failed_conditions: readonly string[];
  readonly alert_id: string | null;
  readonly suppressed_by: string | null;
  readonly suppressed_until: Date | null;
  /** When the suppressing alert was raised, and its event; null when it was deleted. */
  readonly suppressor_raised_at: Date | null;
  readonly suppressor_event_id: number | null;
  /** The silence that suppressed this verdict, and its reason. */
  readonly silence_id: string | null;
  readonly silence_reason: string | null;
  /** The key or session that began the silence; null without one. */
  readonly silence_by: string | null;
  /** What triggers the next evaluation of a suppressed verdict, or of an incident outside of the schedule or mode; null when nothing does. */
  readonly next_evaluation: "when_scored" | "when_cooldown_over" | "when_schedule_holds" | "when_mode_fits" | null;
  readonly evaluated_at: Date;
}

/** The verdicts on an event; those that raised an alert come first. */
export async function verdictsOf(sql: Sql, eventId: number): Promise<readonly VerdictFacts[]> {
  return await sql<VerdictFacts[]>`
    select v.rule_id, v.rule_name, v.rule_version, v.outcome, v.matched_conditions,
      v.failed_conditions, v.alert_id, v.suppressed_by, v.suppressed_until,
      s.created_at as suppressor_raised_at, s.event_id as suppressor_event_id, v.silence_id, v.silence_reason,
      v.silence_by, v.evaluated_at,
      case
        when v.outcome = 'raised' or e.deleted_at is not null then null
        when v.outcome = 'suppressed' and e.analysis_status = 'pending' and (r.escalate or r.risk_threshold is not null) then 'when_scored'
        when not exists (select from camera_incidents i where i.event_id = v.event_id and i.ended_at is null) then null
        when v.suppressed_by is not null and not r.is_digested then 'when_cooldown_over'
        when r.rule_id is not null and cardinality(v.failed_conditions) > 0 and not exists (
          select from unnest(v.failed_conditions) f (text)
          where strpos(f.text, ${outOfSchedule}) = 0 and not starts_with(f.text, ${outOfMode})
        ) then case when strpos(v.failed_conditions[1], ${outOfSchedule}) > 0 then 'when_schedule_holds' else 'when_mode_fits' end
      end as next_evaluation
    from rule_verdicts v
    join events e on e.event_id = v.event_id
    left join lateral (
      select o.rule_id, o.escalate, o.risk_threshold, o.digest and coalesce(cardinality(o.channels), 0) > 0 as is_digested
      from rules o
      where o.rule_id = v.rule_id
        and o.enabled
      limit 1
    ) r on true
    left join alerts s on s.alert_id = v.suppressed_by
    where v.event_id = ${eventId}
    order by array_position(array['raised', 'suppressed', 'not_matched'], v.outcome), v.evaluated_at, v.rule_name, v.rule_id
  `;
}

/** An alert with the name of its rule and the number of verdicts that its cooldown suppressed. */
export type AlertFacts = AlertRow & {
  readonly rule_name: string;
  readonly held_back: number;
  /** When the last picture before the alert was taken; null if the visit was over by then. */
  readonly during_visit_at: Date | null;
};

/** The alerts of an event, oldest first. */
export async function alertsOfEvent(sql: Sql, eventId: number): Promise<readonly AlertFacts[]> {
  return await sql<AlertFacts[]>`
    select ${columns(sql)}, a.rule_name, (select count(*) from rule_verdicts v where v.suppressed_by = a.alert_id) as held_back,
      case when e.ongoing or a.created_at < e.closed_at then (
        select max(d.detected_at) from detections d where d.event_id = a.event_id and d.created_at <= a.created_at
      ) end as during_visit_at
    from alerts a
    join events e on e.event_id = a.event_id
    where a.event_id = ${eventId}
    order by a.created_at, a.alert_id
  `;
}

/** Finds the event of an alert; undefined if there is no such alert. */
export async function eventOfAlert(sql: Sql, alertId: string): Promise<number | undefined> {
  const [row] = await sql<[{ event_id: number }?]>`select a.event_id from alerts a where a.alert_id = ${alertId}::uuid`;
  return row?.event_id;
}

/** A message through one channel. */
export interface NotificationFacts {
  readonly notification_id: string;
  readonly alert_id: string;
  readonly kind: "alert" | "digest" | "end" | "update" | "repeat";
  readonly channel: string;
  readonly status: "waiting" | "sent" | "failed" | "expired" | "cancelled" | "unusable";
  readonly reason: string | null;
  readonly attempt_count: number;
  readonly next_attempt_at: Date | null;
  readonly expires_at: Date;
  readonly late: boolean;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  /** The notification whose message reports this alert too, and its rule; null if it has its own. */
  readonly joined_to: string | null;
  readonly joined_rule: string | null;
  /** When the message on a phone was changed after the answer, and what the service said; null if it was not. */
  readonly edited_at: Date | null;
  readonly edit_answer: string | null;
}

/** The notifications of alerts, oldest first. */
export async function notificationsOf(sql: Sql, alertIds: readonly string[]): Promise<readonly NotificationFacts[]> {
  return await sql<NotificationFacts[]>`
    select n.notification_id, n.alert_id, n.kind, n.channel, n.status, n.reason,
      n.attempt_count, n.next_attempt_at, n.expires_at, n.late,
      n.created_at, n.finished_at, n.joined_to, o.rule_name as joined_rule,
      (select d.finished_at from message_edits d where d.notification_id = coalesce(n.joined_to, n.notification_id)) as edited_at,
      (select d.answer from message_edits d where d.notification_id = coalesce(n.joined_to, n.notification_id)) as edit_answer
    from notifications n
    left join notifications l on l.notification_id = n.joined_to
    left join alerts o on o.alert_id = l.alert_id
    where n.alert_id = any (${[...alertIds]}::uuid[])
    order by n.created_at, n.kind, n.channel
  `;
}

/** One attempt to send a notification. */
export interface NotificationAttemptFacts {
  readonly notification_id: string;
  readonly attempt: number;
  readonly started_at: Date;
  readonly finished_at: Date;
  readonly outcome: "sent" | "again" | "failed";
  readonly answer: string | null;
}

/** The last `limit` attempts to send notifications of these alerts, oldest first. */
export async function notificationAttemptsOf(
  sql: Sql,
  alertIds: readonly string[],
  limit: number,
): Promise<readonly NotificationAttemptFacts[]> {
  const rows = await sql<NotificationAttemptFacts[]>`
    select t.notification_id, t.attempt, t.started_at, t.finished_at, t.outcome, t.answer
    from notifications n
    join notification_attempts t on t.notification_id = n.notification_id
    where n.alert_id = any (${[...alertIds]}::uuid[])
    order by t.started_at desc, t.attempt desc
    limit ${limit}
  `;
  return rows.toReversed();
}
