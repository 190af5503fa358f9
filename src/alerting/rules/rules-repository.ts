import { Schedule } from "../../contract/routes/rules.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { noteWake } from "../../work/jobs/wakes-repository.ts";
import type { Rule, RuleDefinition, Severity } from "./rule.ts";

const columns = (sql: Sql) => sql`
  r.rule_id as id, r.name, r.enabled, r.kind, r.severity, r.risk_threshold, r.object_types, r.camera_ids, r.zones, r.not_zones, r.min_size, r.min_confidence, r.schedule, r.modes,
  r.dedup_key_template, r.cooldown_seconds, r.channels, r.escalate, r.digest, r.immediate, r.version, r.created_at, r.updated_at
`;

/** A row of `rules`, with the schedule as stored in jsonb. */
type RuleRow = Omit<Rule, "schedule"> & { readonly schedule: unknown };

/** Throws a `ZodError` if the stored schedule is invalid. */
function ruleOf(row: RuleRow): Rule {
  return { ...row, schedule: Schedule.nullable().parse(row.schedule) };
}

/** Returns the enabled rules, oldest first. */
export async function enabledRules(sql: Sql): Promise<readonly Rule[]> {
  const rows = await sql<RuleRow[]>`
    select ${columns(sql)}
    from rules r
    where r.enabled
    order by r.created_at, r.rule_id
  `;
  return rows.map(ruleOf);
}

/** Returns all rules, oldest first. */
export async function allRules(sql: Sql): Promise<readonly Rule[]> {
  const rows = await sql<RuleRow[]>`
    select ${columns(sql)}
    from rules r
    order by r.created_at, r.rule_id
  `;
  return rows.map(ruleOf);
}

/** Finds a rule by its UUID; undefined if there is none. */
export async function findRule(sql: Sql, ruleId: string): Promise<Rule | undefined> {
  const [row] = await sql<[RuleRow?]>`
    select ${columns(sql)}
    from rules r
    where r.rule_id = ${ruleId}
  `;
  return row && ruleOf(row);
}

/** Locks a rule until the end of the transaction, before a change or a deletion. */
export async function lockRule(sql: Sql, ruleId: string, to: "change" | "delete" = "change"): Promise<Rule | undefined> {
  const [row] = await sql<[RuleRow?]>`
    select ${columns(sql)}
    from rules r
    where r.rule_id = ${ruleId}
    ${to === "delete" ? sql`for update` : sql`for no key update`}
  `;
  return row && ruleOf(row);
}

/** Stores a rule as its first version and returns its record. */
export async function insertRule(sql: Sql, rule: RuleDefinition, now: Date): Promise<Rule> {
  const [row] = await sql<[RuleRow]>`
    insert into rules as r (name, enabled, kind, severity, risk_threshold, object_types, camera_ids, zones, not_zones, min_size, min_confidence, schedule, modes, dedup_key_template,
      cooldown_seconds, channels, escalate, digest, immediate, created_at, updated_at)
    values (${rule.name}, ${rule.enabled}, ${rule.kind}, ${rule.severity}, ${rule.risk_threshold}, ${rule.object_types}::text[], ${rule.camera_ids}::text[],
      ${rule.zones}::text[], ${rule.not_zones}::text[], ${rule.min_size}, ${rule.min_confidence}, ${rule.schedule && JSON.stringify(rule.schedule)}::text::jsonb, ${rule.modes}::text[], ${rule.dedup_key_template},
      ${rule.cooldown_seconds}, ${rule.channels}::text[], ${rule.escalate}, ${rule.digest}, ${rule.immediate}, ${now}, ${now})
    returning ${columns(sql)}
  `;
  noteWake(sql, "rules");
  return ruleOf(row);
}

/** Stores a new definition of a rule as its next version and returns its record. */
export async function replaceRule(sql: Sql, ruleId: string, rule: RuleDefinition, now: Date): Promise<Rule> {
  const [row] = await sql<[RuleRow]>`
    update rules r
    set name = ${rule.name}, enabled = ${rule.enabled}, kind = ${rule.kind}, severity = ${rule.severity}, risk_threshold = ${rule.risk_threshold},
      object_types = ${rule.object_types}::text[], camera_ids = ${rule.camera_ids}::text[], zones = ${rule.zones}::text[],
      not_zones = ${rule.not_zones}::text[], min_size = ${rule.min_size}, min_confidence = ${rule.min_confidence},
      schedule = ${rule.schedule && JSON.stringify(rule.schedule)}::text::jsonb, modes = ${rule.modes}::text[], dedup_key_template = ${rule.dedup_key_template},
      cooldown_seconds = ${rule.cooldown_seconds}, channels = ${rule.channels}::text[], escalate = ${rule.escalate}, digest = ${rule.digest}, immediate = ${rule.immediate},
      version = r.version + 1, updated_at = ${now}
    where r.rule_id = ${ruleId}
    returning ${columns(sql)}
  `;
  noteWake(sql, "rules");
  return ruleOf(row);
}

/** Locks the alerts of a rule, which lose their reference when the rule is deleted, in the common lock order. */
export async function lockAlertsOf(sql: Sql, ruleId: string): Promise<void> {
  await sql`
    select count(*)
    from (
      select
      from alerts a
      where a.rule_id = ${ruleId}
      order by a.alert_id
      for no key update
    ) locked
  `;
}

/**
 * Shortens the cooldowns that a rule started, and the digests that follow them, to `seconds` after their alerts, where that is sooner.
 * The caller must have locked the rule's row, as every transaction that starts a cooldown of the rule does.
 */
export async function shortenCooldowns(sql: Sql, ruleId: string, seconds: number): Promise<void> {
  await sql`
    with own as materialized (
      select o.dedup_key
      from cooldowns o
      where o.rule_id = ${ruleId}
        and o.ends_at > o.raised_at + ${seconds}::double precision * interval '1 second'
      order by o.dedup_key
      for update
    )
    update cooldowns c
    set ends_at = c.raised_at + ${seconds}::double precision * interval '1 second'
    where c.dedup_key = any (array(select own.dedup_key from own))
  `;
  await sql`
    update digests d
    set due_at = a.created_at + ${seconds}::double precision * interval '1 second'
    from alerts a
    where a.alert_id = d.alert_id
      and a.rule_id = ${ruleId}
      and d.closed_at is null
      and d.due_at > a.created_at + ${seconds}::double precision * interval '1 second'
  `;
}

/** Deletes a rule with its versions; its verdicts and alerts stay. Returns whether the rule existed. */
export async function deleteRule(sql: Sql, ruleId: string): Promise<boolean> {
  const rows = await sql`
    delete from rules r
    where r.rule_id = ${ruleId}
    returning r.rule_id
  `;
  noteWake(sql, "rules");
  return rows.length > 0;
}

/** Filters of the rule list. */
export interface RuleFilter {
  readonly enabled?: boolean | undefined;
  readonly severity?: Severity | undefined;
}

/** Returns a page of the rule list, newest first, each rule with its sort key. */
export async function listRules(
  sql: Sql,
  { filter, after, offset, limit }: Slice<TimeKey<string>> & { readonly filter: RuleFilter },
): Promise<readonly Keyed<Rule, TimeKey<string>>[]> {
  const rows = await sql<(RuleRow & { sort_time: string })[]>`
    select ${columns(sql)}, ${keyInstant(sql, sql`r.created_at`)} as sort_time
    from rules r
    where true
      ${filterConditions(sql, filter)}
      ${follows(sql, sql`r.created_at, r.rule_id`, after)}
    order by r.created_at desc, r.rule_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...row }) => ({ record: ruleOf(row), key: [sort_time, row.id] }));
}

/** Counts the rules that match the filter. */
export async function countRules(sql: Sql, filter: RuleFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from rules r
    where true
      ${filterConditions(sql, filter)}
  `;
  return row.count;
}

const filterConditions = (sql: Sql, { enabled, severity }: RuleFilter) => sql`
  ${enabled === undefined ? sql`` : sql`and r.enabled = ${enabled}`}
  ${severity === undefined ? sql`` : sql`and r.severity = ${severity}`}
`;
