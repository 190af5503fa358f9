import type { Sql } from "../../platform/database/database.ts";
import type { Step } from "./step.ts";

/** A webhook that subscribes to alerts and got no message about one. */
interface PassedOver {
  readonly alert_id: string;
  readonly webhook_id: string;
  readonly webhook_name: string;
  readonly created_at: Date;
  readonly is_other_rule: boolean;
  readonly severities: readonly string[] | null;
  readonly is_changed_since: boolean;
}

/** The webhooks whose limits leave out these alerts: of other rules, or of other severities. */
export async function passedOver(sql: Sql, alertIds: readonly string[]): Promise<readonly PassedOver[]> {
  return await sql<PassedOver[]>`
    select a.alert_id, w.webhook_id, w.name as webhook_name, a.created_at, l.is_other_rule,
      case when l.is_other_severity then w.severities end as severities, w.updated_at > a.created_at as is_changed_since
    from alerts a
    join webhooks w on w.enabled and w.created_at <= a.created_at and 'alert_fired' = any (w.event_types)
    cross join lateral (
      select w.rule_ids is not null and (a.rule_id is null or a.rule_id <> all (w.rule_ids)) as is_other_rule,
        w.severities is not null and a.severity <> all (w.severities) as is_other_severity
    ) l
    where a.alert_id = any (${[...alertIds]}::uuid[])
      and (l.is_other_rule or l.is_other_severity)
      and not exists (
        select from webhook_deliveries d where d.event_id = a.alert_id::text and d.webhook_id = w.webhook_id
      )
    order by a.created_at, a.alert_id, w.name, w.webhook_id
  `;
}

/** Says why a webhook got no message about an alert. */
export function passedOverStep({
  alert_id,
  created_at,
  webhook_name,
  is_other_rule,
  severities,
  is_changed_since,
  ...ids
}: PassedOver): Step {
  const limits = [...(is_other_rule ? ["other rules"] : []), ...(severities ? [`the severities ${severities.join(", ")}`] : [])];
  const since = is_changed_since ? " It was changed since." : "";
  return {
    at: created_at,
    step: "webhook_delivery",
    status: "note",
    text: `Webhook "${webhook_name}" got no message: it is limited to ${limits.join(" and ")}.${since}`,
    details: { event_id: alert_id, ...ids, severities },
  };
}
