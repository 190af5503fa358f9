import type { Sql } from "../../platform/database/database.ts";
import { addJobs, priorities } from "../../work/jobs/jobs-repository.ts";
import { modeNow } from "../modes/history.ts";
import { evaluate, outOfMode, outOfSchedule } from "../rules/conditions.ts";
import { enabledRules } from "../rules/rules-repository.ts";

/**
 * Queues another evaluation of open incidents whose cooldown has ended, or whose schedule or mode now applies. Otherwise the last report about a
 * camera could be that it works, or there would be none at all. Incidents that a digest reports through all channels of the rule are left
 * out. Returns how many were queued.
 */
export async function reevaluateIncidents(sql: Sql, now: Date): Promise<number> {
  const eventIds = new Set((await suppressedIncidents(sql, now)).map(({ eventId }) => eventId));
  const jobs = [...eventIds].map((id) => ({ subject: `${id}:held_back`, priority: priorities.live, position: now, availableAt: now }));
  await addJobs(sql, "alert", jobs);
  return eventIds.size;
}

/** An open incident, and a rule that must evaluate it again. */
interface HeldBack {
  readonly eventId: number;
  readonly cameraId: string;
  readonly ruleId: string;
}

/** Finds suppressed incidents, of one event or of all, that their rules match now, schedules and the mode included. */
export async function suppressedIncidents(sql: Sql, now: Date, eventId?: number): Promise<readonly HeldBack[]> {
  const held = await sql<HeldBack[]>`
    select distinct e.event_id as "eventId", e.camera_id as "cameraId", v.rule_id as "ruleId"
    from camera_incidents i
    join cameras c on c.camera_id = i.camera_id and c.deleted_at is null
    join events e on e.event_id = i.event_id and e.deleted_at is null
    join rule_verdicts v on v.event_id = e.event_id
    join rules r on r.rule_id = v.rule_id and r.enabled and r.risk_threshold is null
    where i.ended_at is null
      ${eventId === undefined ? sql`` : sql`and e.event_id = ${eventId}`}
      and (
        v.outcome = 'not_matched'
          and cardinality(v.failed_conditions) > 0
          and not exists (
            select from unnest(v.failed_conditions) f (text)
            where strpos(f.text, ${outOfSchedule}) = 0 and not starts_with(f.text, ${outOfMode})
          )
        or v.outcome = 'suppressed'
          and v.suppressed_by is not null
          -- another rule under the same key told of it through all channels of this one
          and not exists (
            select from alerts a
            where a.alert_id = v.suppressed_by and a.event_id = v.event_id
              and not exists (
                select from unnest(r.channels) as w (word)
                left join channels c on case w.word when 'push' then c.enabled else lower(c.name) = lower(w.word) end
                where not exists (
                  select from notifications n
                  where n.alert_id = a.alert_id
                    and n.kind = 'alert'
                    and case when c.channel_id is null then n.channel = w.word else n.channel_id = c.channel_id end
                )
              )
          )
          and not exists (select from cooldowns o where o.alert_id = v.suppressed_by and o.ends_at > ${now})
          and not exists (select from digests d where d.alert_id = v.suppressed_by and d.channels @> r.channels and cardinality(r.channels) > 0)
      )
    order by e.event_id
  `;
  if (held.length === 0) return [];
  const mode = await modeNow(sql, now);
  const rules = new Map((await enabledRules(sql)).map((rule) => [rule.id, rule]));
  return held.filter(({ eventId, cameraId, ruleId }) => {
    const rule = rules.get(ruleId);
    const times = { startedAt: now, endedAt: now, storedAt: now };
    return rule && evaluate(rule, { eventId, kind: "camera_health", cameraId, riskScore: null, mode, ...times, objects: [] }).matches;
  });
}
