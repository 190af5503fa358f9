import type { Sql } from "../../platform/database/database.ts";
import { insertDeliverJobs } from "../../work/jobs/deliver-repository.ts";
import { phoneKinds } from "../channels/kinds.ts";

/** Which messages may have to be changed: those about an alert that a person just ended, or those that were just sent. */
export type Answered = { readonly alertId: string } | { readonly notificationIds: readonly string[] };

const changeable = Object.entries(phoneKinds).flatMap(([kind, { changeable: pattern }]) =>
  pattern === undefined ? [] : { kind, pattern },
);

/**
 * Queues the change of messages on phones whose alerts a person ended: each once, when none of its alerts is open any more. Leaves out
 * services that cannot change a message. The caller has locked the notifications, and holds no lock that comes before them (decision 8).
 */
export async function insertEdits(sql: Sql, answered: Answered, now: Date): Promise<void> {
  const which =
    "alertId" in answered
      ? sql`n.notification_id in (select coalesce(o.joined_to, o.notification_id) from notifications o where o.alert_id = ${answered.alertId})`
      : sql`n.notification_id = any (${[...answered.notificationIds]}::uuid[])`;
  await sql`
    with stored as (
      insert into message_edits (notification_id, created_at)
      select n.notification_id, ${now}
      from notifications n
      join channels c on c.channel_id = n.channel_id
      join unnest(${changeable.map(({ kind }) => kind)}::text[], ${changeable.map(({ pattern }) => pattern)}::text[]) as k (kind, pattern)
        on k.kind = c.kind
      where ${which}
        and n.kind in ('alert', 'update', 'repeat')
        and n.status = 'sent'
        and n.joined_to is null
        and n.reference ~ k.pattern
        and not exists (
          select
          from notifications m
          join alerts a on a.alert_id = m.alert_id
          where (m.notification_id = n.notification_id or m.joined_to = n.notification_id)
            and a.status in ('pending', 'delivered')
        )
      on conflict (notification_id) do nothing
      returning notification_id
    )
    ${insertDeliverJobs(sql, { editOf: sql`n.notification_id`, channelId: sql`n.channel_id` }, now)}
    from stored s
    join notifications n on n.notification_id = s.notification_id
    order by n.notification_id
  `;
}

/** A message that needs a change, and how its alert ended. */
export interface Edit {
  readonly notificationId: string;
  readonly alertId: string;
  readonly kind: "alert" | "update" | "repeat";
  readonly channel: string;
  readonly channelId: string;
  /** The name that the service gave the message. */
  readonly reference: string;
  readonly createdAt: Date;
  readonly status: "acknowledged" | "dismissed";
  readonly closedBy: string | null;
  readonly closedAt: Date;
}

/** Finds a message that still needs its change; undefined if it was changed, or deleted with its alert. */
export async function findEdit(sql: Sql, notificationId: string): Promise<Edit | undefined> {
  const [row] = await sql<[Edit?]>`
    select n.notification_id as "notificationId", n.alert_id as "alertId", n.kind, n.channel, n.channel_id as "channelId", n.reference,
      d.created_at as "createdAt", a.status, a.alert_metadata ->> 'closed_by' as "closedBy",
      coalesce(a.acknowledged_at, a.dismissed_at) as "closedAt"
    from message_edits d
    join notifications n on n.notification_id = d.notification_id
    join alerts a on a.alert_id = n.alert_id
    where d.notification_id = ${notificationId}
      and d.finished_at is null
      and a.status in ('acknowledged', 'dismissed')
  `;
  return row;
}

/** Stores what the service answered. `finishedAt`: it will not be tried again. */
export async function storeEdit(
  sql: Sql,
  notificationId: string,
  { answer, finishedAt }: { readonly answer: string | null; readonly finishedAt: Date | null },
): Promise<void> {
  await sql`
    update message_edits d
    set answer = ${answer}, finished_at = ${finishedAt}
    where d.notification_id = ${notificationId}
  `;
}
