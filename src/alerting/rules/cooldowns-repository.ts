import type { Sql } from "../../platform/database/database.ts";

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
