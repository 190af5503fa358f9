import type { Sql } from "../../platform/database/database.ts";
import { outsideHours } from "./quiet.ts";

/** The notifications of one channel that could not be sent yet, or not to everyone. */
export interface DelayedNotifications {
  readonly channel: string;
  readonly count: number;
  /** When the oldest of them was queued. */
  readonly since: Date;
  /** When the next attempt is due. */
  readonly nextAttemptAt: Date | null;
  /** The last answer to the newest of them. */
  readonly answer: string | null;
}

/**
 * Counts, by channel, the notifications that were refused and will not be sent within minutes: after three attempts, after five minutes,
 * or because the next attempt is that far away. A server that delays unknown senders for a minute is left out, and so are messages that wait for
 * the hours of a recipient.
 */
export async function delayedNotifications(sql: Sql, now: Date): Promise<readonly DelayedNotifications[]> {
  return await sql<DelayedNotifications[]>`
    select n.channel, count(*) as count, min(n.created_at) as since, min(n.next_attempt_at) as "nextAttemptAt",
      (array_agg(coalesce(
        case when n.status = 'waiting' then n.reason end,
        (select a.answer from notification_attempts a where a.notification_id = n.notification_id order by a.attempt desc limit 1)
      ) order by n.created_at desc))[1] as answer
    from notifications n
    where (n.status = 'waiting' or n.unreached is not null)
      and n.reason is not null
      and not starts_with(n.reason, ${outsideHours})
      and n.joined_to is null
      and (
        n.attempt_count >= 3
        or n.created_at <= ${now}::timestamptz - interval '5 minutes'
        or n.next_attempt_at >= ${now}::timestamptz + interval '5 minutes'
      )
    group by n.channel
    order by n.channel
  `;
}
