import { outOfSchedule } from "../../alerting/rules/evaluate.ts";
import type { Sql } from "../../platform/database/database.ts";

/** The verdict of a rule on an event, with the alert or the silence that suppressed it. */
export interface VerdictFacts {
  readonly ruleId: string;
  readonly ruleName: string;
  readonly ruleVersion: number;
  readonly outcome: "raised" | "suppressed" | "not_matched";
  readonly matched: readonly string[];
  readonly failed: readonly string[];
  readonly alertId: string | null;
  readonly suppressedBy: string | null;
  readonly suppressedUntil: Date | null;
  /** When the suppressing alert was raised, and its event; null when it was deleted. */
  readonly suppressorRaisedAt: Date | null;
  readonly suppressorEventId: number | null;
  /** The silence that suppressed this verdict, and its reason. */
  readonly silenceId: string | null;
  readonly silenceReason: string | null;
  /** What triggers the next evaluation of a suppressed verdict, or of an incident outside of the schedule; null when nothing does. */
  readonly looksAgain: "when_judged" | "when_cooldown_over" | "when_schedule_holds" | null;
  readonly evaluatedAt: Date;
}

/** The verdicts on an event; those that raised an alert come first. */
export async function verdictsOf(sql: Sql, eventId: number): Promise<readonly VerdictFacts[]> {
  return await sql<VerdictFacts[]>`
    select v.rule_id as "ruleId", v.rule_name as "ruleName", v.rule_version as "ruleVersion", v.outcome, v.matched_conditions as matched,
      v.failed_conditions as failed, v.alert_id as "alertId", v.suppressed_by as "suppressedBy", v.suppressed_until as "suppressedUntil",
      s.created_at as "suppressorRaisedAt", s.event_id as "suppressorEventId", v.silence_id as "silenceId", v.silence_reason as "silenceReason", v.evaluated_at as "evaluatedAt",
      case
        when v.outcome = 'raised' or e.deleted_at is not null then null
        when v.outcome = 'suppressed' and e.analysis_status = 'pending' and (r.escalate or r.risk_threshold is not null) then 'when_judged'
        when not exists (select from camera_incidents i where i.event_id = v.event_id and i.ended_at is null) then null
        when v.suppressed_by is not null and not r.is_digested then 'when_cooldown_over'
        when r.rule_id is not null and cardinality(v.failed_conditions) = 1 and strpos(v.failed_conditions[1], ${outOfSchedule}) > 0
          then 'when_schedule_holds'
      end as "looksAgain"
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

/** The current state of a rule. */
export interface RuleFacts {
  readonly ruleId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly kind: "event" | "camera_health";
  readonly riskThreshold: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The rules without a verdict on an event, oldest first. */
export async function rulesWithoutVerdict(sql: Sql, eventId: number, limit: number): Promise<readonly RuleFacts[]> {
  return await sql<RuleFacts[]>`
    select r.rule_id as "ruleId", r.name, r.enabled, r.kind, r.risk_threshold as "riskThreshold", r.created_at as "createdAt", r.updated_at as "updatedAt"
    from rules r
    where not exists (select from rule_verdicts v where v.event_id = ${eventId} and v.rule_id = r.rule_id)
    order by r.created_at, r.rule_id
    limit ${limit}
  `;
}

/** The facts about an alert that an explanation needs. */
export interface AlertFacts {
  readonly alertId: string;
  readonly eventId: number;
  readonly ruleId: string | null;
  readonly ruleName: string;
  readonly severity: string;
  readonly status: "pending" | "delivered" | "acknowledged" | "dismissed";
  readonly dedupKey: string;
  readonly metadata: unknown;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  readonly acknowledgedAt: Date | null;
  readonly dismissedAt: Date | null;
  /** Number of verdicts that its cooldown suppressed. */
  readonly heldBack: number;
}

const alertColumns = (sql: Sql) => sql`
  a.alert_id as "alertId", a.event_id as "eventId", a.rule_id as "ruleId", a.rule_name as "ruleName", a.severity, a.status,
  a.dedup_key as "dedupKey", a.alert_metadata as metadata, a.created_at as "createdAt", a.delivered_at as "deliveredAt",
  a.acknowledged_at as "acknowledgedAt", a.dismissed_at as "dismissedAt",
  (select count(*) from rule_verdicts v where v.suppressed_by = a.alert_id) as "heldBack"
`;

/** The alerts of an event, oldest first. */
export async function alertsOfEvent(sql: Sql, eventId: number): Promise<readonly AlertFacts[]> {
  return await sql<AlertFacts[]>`
    select ${alertColumns(sql)}
    from alerts a
    where a.event_id = ${eventId}
    order by a.created_at, a.alert_id
  `;
}

/** The event of an alert, or undefined. */
export async function eventOfAlert(sql: Sql, alertId: string): Promise<number | undefined> {
  const [row] = await sql<[{ eventId: number }?]>`select a.event_id as "eventId" from alerts a where a.alert_id = ${alertId}::uuid`;
  return row?.eventId;
}

/** A message through one channel. */
export interface NotificationFacts {
  readonly notificationId: string;
  readonly alertId: string;
  readonly kind: "alert" | "digest" | "end";
  readonly channel: string;
  readonly status: "waiting" | "sent" | "failed" | "expired" | "cancelled" | "unusable";
  readonly reason: string | null;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
  readonly expiresAt: Date;
  readonly late: boolean;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** The notifications of alerts, oldest first. */
export async function notificationsOf(sql: Sql, alertIds: readonly string[]): Promise<readonly NotificationFacts[]> {
  return await sql<NotificationFacts[]>`
    select n.notification_id as "notificationId", n.alert_id as "alertId", n.kind, n.channel, n.status, n.reason,
      n.attempt_count as "attemptCount", n.next_attempt_at as "nextAttemptAt", n.expires_at as "expiresAt", n.late,
      n.created_at as "createdAt", n.finished_at as "finishedAt"
    from notifications n
    where n.alert_id = any (${[...alertIds]}::uuid[])
    order by n.created_at, n.kind, n.channel
  `;
}

/** One attempt to send a notification. */
export interface NotificationAttemptFacts {
  readonly notificationId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
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
    select t.notification_id as "notificationId", t.attempt, t.started_at as "startedAt", t.finished_at as "finishedAt", t.outcome, t.answer
    from notifications n
    join notification_attempts t on t.notification_id = n.notification_id
    where n.alert_id = any (${[...alertIds]}::uuid[])
    order by t.started_at desc, t.attempt desc
    limit ${limit}
  `;
  return rows.toReversed();
}
