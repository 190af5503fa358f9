import type { Sql } from "../../platform/database/database.ts";

/**
 * Has what a rule holds back end so long after its alert, where that is sooner: cooldowns and the digests that follow them. The rule's row has to
 * be locked already, as everybody does who wants a cooldown of it.
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
