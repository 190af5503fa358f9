import type { z } from "zod";
import { riskLevels, severities } from "../../contract/constants.ts";
import type { AlertMetadata } from "../../contract/routes/alerts.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Rule } from "../rules/rule.ts";
import { type Alert, type AlertRow, recordOf } from "./alert.ts";
import { columns } from "./alerts-repository.ts";

/** An alert to raise unless a cooldown suppresses it. */
export interface NewAlert {
  readonly id: string;
  readonly eventId: number;
  readonly cameraId: string;
  /** 0 for an event without a score, 1 for low to 4 for critical. */
  readonly rank: number;
  readonly rule: Rule;
  readonly dedupKey: string;
  readonly status: "pending" | "delivered";
  readonly metadata: z.output<typeof AlertMetadata>;
}

/** The result: raised, suppressed, or nothing because the rule was deleted or disabled at that very moment. */
export type Raised = { readonly kind: "raised"; readonly alert: Alert } | { readonly kind: "held_back" } | { readonly kind: "rule_gone" };

/**
 * Raises an alert unless an earlier alert under the same key suppresses it. The check, the start of the new cooldown and the alert are
 * one statement, so that only one of many concurrent transactions raises it. The row of the key stays locked until the end of the
 * transaction in either case. With `escalate`, an event with a higher risk level passes, and so does a rule that is more severe than the
 * alert which another rule raised for the same event. A cooldown from the future (the clock was set back) counts for its own length at
 * most.
 */
export async function raiseUnlessSuppressed(sql: Sql, alert: NewAlert, now: Date): Promise<Raised> {
  const { rule } = alert;
  const endsAt = new Date(now.getTime() + rule.cooldown_seconds * 1_000);
  const [row] = await sql<[{ rule_is_there: boolean } & (AlertRow | { readonly id: null })]>`
    with rule as (
      select r.rule_id
      from rules r
      where r.rule_id = ${rule.id}
        and r.enabled
      for key share
    ), begun as (
      insert into cooldowns as c (dedup_key, alert_id, rule_id, raised_at, ends_at, band)
      select ${alert.dedupKey}, ${alert.id}::uuid, r.rule_id, ${now}::timestamptz, ${endsAt}::timestamptz, ${alert.rank}::smallint
      from rule r
      on conflict (dedup_key) do update
      set alert_id = excluded.alert_id, rule_id = excluded.rule_id, raised_at = excluded.raised_at, ends_at = excluded.ends_at,
        band = excluded.band
      where c.ends_at <= excluded.raised_at
        or c.raised_at - (c.ends_at - c.raised_at) > excluded.raised_at
        or ${rule.escalate}::boolean and (
          excluded.band > greatest(c.band, (
            -- the alerted event may have been judged since
            select array_position(${[...riskLevels]}::text[], e.risk_level)
            from alerts o
            join events e on e.event_id = o.event_id
            where o.alert_id = c.alert_id
          ))
          -- a rule that needs no score alerts first, and the event is never worse than itself
          or exists (
            select
            from alerts o
            where o.alert_id = c.alert_id
              and o.event_id = ${alert.eventId}
              and o.severity = any (${severities.slice(0, severities.indexOf(rule.severity))}::text[])
          )
        )
      returning c.rule_id
    ), raised as (
      insert into alerts as a (alert_id, event_id, rule_id, rule_name, camera_id, severity, status, dedup_key, alert_metadata, created_at,
        delivered_at, updated_at)
      select ${alert.id}::uuid, ${alert.eventId}::bigint, b.rule_id, ${rule.name}, ${alert.cameraId}, ${rule.severity}, ${alert.status},
        ${alert.dedupKey}, ${JSON.stringify(alert.metadata)}::text::jsonb, ${now}::timestamptz,
        case when ${alert.status} = 'delivered' then ${now}::timestamptz end, ${now}::timestamptz
      from begun b
      returning ${columns(sql)}
    )
    select exists (select 1 from rule) as rule_is_there, r.*
    from (values (1)) as one
    left join raised r on true
  `;
  const { rule_is_there: ruleIsThere, ...raised } = row;
  if (raised.id !== null) return { kind: "raised", alert: recordOf(raised) };
  return { kind: ruleIsThere ? "held_back" : "rule_gone" };
}

/** The alert that suppresses others under a key, and until when. */
export interface Cooldown {
  /** The alert that started the cooldown. */
  readonly alertId: string;
  readonly endsAt: Date;
}

/** Returns the newest cooldown under a key. Right after `raiseUnlessSuppressed` returned "held back", it is the cooldown that did so. */
export async function cooldownOf(sql: Sql, dedupKey: string): Promise<Cooldown | undefined> {
  const [row] = await sql<[Cooldown?]>`
    select c.alert_id as "alertId", c.ends_at as "endsAt"
    from cooldowns c
    where c.dedup_key = ${dedupKey}
  `;
  return row;
}

/** Ends the cooldown that an alert started if it is still the newest of its key. Waits for transactions that are being suppressed by it. */
export async function endCooldown(sql: Sql, alertId: string): Promise<void> {
  await sql`
    delete from cooldowns c
    using alerts a
    where a.alert_id = ${alertId}
      and c.dedup_key = a.dedup_key
      and c.alert_id = a.alert_id
  `;
}

/** Moves cooldowns from the future (the clock was set back) to now, so that they last no longer than intended. */
export async function bringForwardCooldowns(sql: Sql, now: Date): Promise<void> {
  await sql`
    with ahead as materialized (
      select o.dedup_key
      from cooldowns o
      where o.raised_at > ${now}
      order by o.dedup_key
      for update
    )
    update cooldowns c
    set raised_at = ${now}::timestamptz, ends_at = ${now}::timestamptz + (c.ends_at - c.raised_at)
    where c.dedup_key = any (array(select ahead.dedup_key from ahead))
  `;
}
