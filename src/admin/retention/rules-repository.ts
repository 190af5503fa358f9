import type { Sql } from "../../platform/database/database.ts";
import type { RetentionRule } from "./retention.ts";

/** A stored rule. */
export interface StoredRule extends RetentionRule {
  readonly id: number;
}

/** Returns all rules, by camera and level. */
export async function listRules(sql: Sql): Promise<readonly StoredRule[]> {
  return await sql<StoredRule[]>`
    select r.rule_id as id, r.camera_id, r.risk_level, r.event_days, r.original_days, r.thumbnail_days
    from retention_rules r
    order by r.camera_id nulls last, array_position(array['critical', 'high', 'medium', 'low'], r.risk_level) nulls last
  `;
}

/** Stores a rule in place of the one for the same camera and level. Returns its id. */
export async function putRule(sql: Sql, rule: RetentionRule, now: Date): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into retention_rules (camera_id, risk_level, event_days, original_days, thumbnail_days, created_at, updated_at)
    values (${rule.camera_id}, ${rule.risk_level}, ${rule.event_days}, ${rule.original_days}, ${rule.thumbnail_days}, ${now}, ${now})
    on conflict (coalesce(camera_id, ''), coalesce(risk_level, '')) do update
    set event_days = excluded.event_days, original_days = excluded.original_days, thumbnail_days = excluded.thumbnail_days,
      updated_at = excluded.updated_at
    returning rule_id as id
  `;
  return row.id;
}

/** Deletes a rule. False if there is none with this id. */
export async function deleteRule(sql: Sql, id: number): Promise<boolean> {
  const gone = await sql`delete from retention_rules r where r.rule_id = ${id}`;
  return gone.count === 1;
}
