import { emitAboutEvents } from "../../monitoring/events/messages.ts";
import type { Sql } from "../../platform/database/database.ts";
import { type AlertRow, recordOf } from "./alert.ts";
import { columns } from "./alerts-repository.ts";

/**
 * Reports to webhooks that the visit of immediate alerts is over and judged, once for each alert: to those that subscribe to it, and to those
 * that the rule of the alert names. Skips alerts that a person ended, and those that an entry delay still holds back, since their first
 * message has the judgement. A failed analysis is reported only if something was detected since the alert.
 */
export async function emitUpdates(sql: Sql, eventId: number, now: Date): Promise<void> {
  const rows = await sql<(AlertRow & { webhookIds: string[] })[]>`
    select ${columns(sql)}, array(
        select distinct d.webhook_id
        from webhook_deliveries d
        where d.event_id = a.alert_id::text
          and d.event_type = 'alert_fired'
          and d.by_rule
      ) as "webhookIds"
    from events e
    join alerts a on a.event_id = e.event_id
    where e.event_id = ${eventId}
      and e.closed_at is not null
      and e.deleted_at is null
      and a.created_at < e.closed_at
      and a.status in ('pending', 'delivered')
      and a.held_until is null
      and (e.risk_score is not null or e.analysis_status = 'failed' and exists (
        select from detections d where d.event_id = e.event_id and d.created_at > a.created_at
      ))
      and not exists (
        select from webhook_deliveries d where d.event_id = a.alert_id::text and d.event_type = 'alert_updated'
      )
    order by a.created_at, a.alert_id
  `;
  await emitAboutEvents(
    sql,
    rows.map(({ webhookIds, ...row }) => {
      const data = recordOf(row);
      return { type: "alert_updated", subject: data.id, about: eventId, data, webhookIds } as const;
    }),
    now,
  );
}
