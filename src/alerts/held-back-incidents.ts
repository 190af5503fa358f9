import type { Sql } from "../engines/database.ts";
import { addJobs, priorities } from "../jobs/jobs-repository.ts";

/**
 * Has the rules look again at incidents that a cooldown held back and that last when it is over: else the last that anybody heard of the camera
 * might be that it is well again. What a digest tells of through all channels of the rule is told already. Returns how many there are.
 */
export async function lookAgainAtIncidents(sql: Sql, now: Date): Promise<number> {
  const eventIds = await heldBackIncidents(sql, now);
  const jobs = eventIds.map((id) => ({ subject: `${id}:held_back`, priority: priorities.live, position: now, availableAt: now }));
  await addJobs(sql, "alert", jobs);
  return eventIds.length;
}

async function heldBackIncidents(sql: Sql, now: Date): Promise<readonly number[]> {
  const rows = await sql<{ eventId: number }[]>`
    select distinct e.event_id as "eventId"
    from camera_incidents i
    join cameras c on c.camera_id = i.camera_id and c.deleted_at is null
    join events e on e.event_id = i.event_id and e.deleted_at is null
    join rule_verdicts v on v.event_id = e.event_id and v.outcome = 'suppressed' and v.suppressed_by is not null
    join rules r on r.rule_id = v.rule_id and r.enabled and r.risk_threshold is null
    where i.ended_at is null
      -- another rule under the same key told of it through all channels of this one
      and not exists (
        select from alerts a
        where a.alert_id = v.suppressed_by and a.event_id = v.event_id
          and coalesce(r.channels, '{}') <@ array(select n.channel from notifications n where n.alert_id = a.alert_id and n.kind = 'alert')
      )
      and not exists (select from cooldowns o where o.alert_id = v.suppressed_by and o.ends_at > ${now})
      and not exists (select from digests d where d.alert_id = v.suppressed_by and d.channels @> r.channels and cardinality(r.channels) > 0)
    order by e.event_id
  `;
  return rows.map(({ eventId }) => eventId);
}
