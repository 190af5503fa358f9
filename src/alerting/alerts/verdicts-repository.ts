import { eventDeleted } from "../../monitoring/events/evaluation-repository.ts";
import type { RiskLevel } from "../../monitoring/events/event.ts";
import { judgementDueAt, storedAt } from "../../monitoring/events/overview-repository.ts";
import type { Sql } from "../../platform/database/database.ts";

/** The verdict of a rule on an event, as stored. The keys are the columns. */
export interface StoredVerdict {
  readonly rule_id: string;
  readonly rule_name: string;
  readonly rule_version: number;
  readonly outcome: "raised" | "suppressed" | "not_matched";
  readonly matched_conditions: readonly string[];
  readonly failed_conditions: readonly string[];
  /** The alert that was raised. */
  readonly alert_id: string | null;
  /** The alert whose cooldown suppressed this one; null if a silence did. */
  readonly suppressed_by: string | null;
  /** The scheduled end of that cooldown or silence. */
  readonly suppressed_until: Date | null;
  /** The silence that muted this alert, and its reason. */
  readonly silence_id: string | null;
  readonly silence_reason: string | null;
  /** The key or session that began the silence. */
  readonly silence_by: string | null;
}

/** The state of a locked event. */
export interface LockedEvent {
  readonly level: RiskLevel | null;
  readonly batchId: string | null;
  /** When all of it was stored. */
  readonly storedAt: Date;
  /** Messages wait until then for the judgement of the event; null: they do not. */
  readonly judgementDueAt: Date | null;
}

/**
 * Locks an event, deleted or not, against other evaluations and changes until the end of the transaction. Returns undefined if there is
 * no such event.
 */
export async function lockLevelOf(sql: Sql, eventId: number, now: Date): Promise<LockedEvent | undefined> {
  const [row] = await sql<[LockedEvent?]>`
    select e.risk_level as level, e.batch_id as "batchId", ${storedAt(sql)} as "storedAt", ${judgementDueAt(sql, now)} as "judgementDueAt"
    from events e
    where e.event_id = ${eventId}
    for no key update
  `;
  return row;
}

/** An earlier verdict of a rule on an event. */
export interface EarlierVerdict {
  readonly outcome: StoredVerdict["outcome"];
  /** The alert that suppressed it. */
  readonly heldBackBy: string | null;
  /** Current risk level of that alert's event. */
  readonly alertedLevel: RiskLevel | null;
  /** The rule ran after the event was deleted. */
  readonly onDeleted: boolean;
}

/** Returns the earlier verdicts of rules on an event, by rule id. */
export async function earlierVerdicts(sql: Sql, eventId: number): Promise<ReadonlyMap<string, EarlierVerdict>> {
  const rows = await sql<(EarlierVerdict & { readonly ruleId: string })[]>`
    select v.rule_id as "ruleId", v.outcome, v.suppressed_by as "heldBackBy", e.risk_level as "alertedLevel",
      v.failed_conditions = array[${eventDeleted}::text] as "onDeleted"
    from rule_verdicts v
    left join alerts a on a.alert_id = v.suppressed_by
    left join events e on e.event_id = a.event_id
    where v.event_id = ${eventId}
  `;
  return new Map(rows.map(({ ruleId, ...verdict }) => [ruleId, verdict]));
}

/** Stores the verdicts of rules on an event, replacing earlier ones. A verdict that raised an alert stays. */
export async function storeVerdicts(sql: Sql, eventId: number, verdicts: readonly StoredVerdict[], now: Date): Promise<void> {
  if (verdicts.length === 0) return;
  await sql`
    insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, alert_id, suppressed_by,
      suppressed_until, silence_id, silence_reason, silence_by, evaluated_at)
    select ${eventId}::bigint, v.rule_id, v.rule_name, v.rule_version, v.outcome, v.matched_conditions, v.failed_conditions, v.alert_id,
      v.suppressed_by, v.suppressed_until, v.silence_id, v.silence_reason, v.silence_by, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(verdicts)}::text::jsonb) as v (
      rule_id uuid, rule_name text, rule_version integer, outcome text, matched_conditions text[], failed_conditions text[], alert_id uuid,
      suppressed_by uuid, suppressed_until timestamptz, silence_id uuid, silence_reason text, silence_by text
    )
    on conflict (event_id, rule_id) do update
    set rule_name = excluded.rule_name, rule_version = excluded.rule_version, outcome = excluded.outcome,
      matched_conditions = excluded.matched_conditions, failed_conditions = excluded.failed_conditions, alert_id = excluded.alert_id,
      suppressed_by = excluded.suppressed_by, suppressed_until = excluded.suppressed_until,
      silence_id = excluded.silence_id, silence_reason = excluded.silence_reason,
      silence_by = excluded.silence_by, evaluated_at = excluded.evaluated_at
    where rule_verdicts.outcome <> 'raised'
  `;
}
