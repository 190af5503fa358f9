import type { z } from "zod";
import type { Delivery as DeliveryReply } from "../../contract/routes/webhooks.ts";
import type { Sql } from "../../platform/database/database.ts";
import { insertDeliverJobs } from "../../work/jobs/deliver-repository.ts";
import { countingAttempt } from "./webhooks-repository.ts";

export type Delivery = z.output<typeof DeliveryReply>;

/** A delivery with all that its request contains. */
export interface DeliveryToSend extends Delivery {
  readonly data: unknown;
  readonly emitted_at: Date;
  /** The display name of the camera that it is about; null for none. */
  readonly camera_name: string | null;
  /** The batch of the event that it is about; null for none. */
  readonly trace: string | null;
  /** The rule of the alert names the webhook. */
  readonly by_rule: boolean;
}

/** A stored attempt. */
export interface Attempt {
  readonly attempt: number;
  readonly started_at: Date;
  readonly finished_at: Date;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** Columns of a delivery row, for `webhook_deliveries d`. */
export const columns = (sql: Sql) => sql`
  d.delivery_id as id, d.webhook_id, d.event_type, d.event_id, d.status, d.status_code, d.response_time_ms, d.error_message,
  d.attempt_count, d.next_retry_at, d.created_at, d.delivered_at, d.message_id, d.retry_of
`;

/** Finds a delivery with its event. */
export async function findDelivery(sql: Sql, id: string): Promise<DeliveryToSend | undefined> {
  const [row] = await sql<[DeliveryToSend?]>`
    select ${columns(sql)}, d.data, d.emitted_at, d.by_rule, c.name as camera_name, e.batch_id as trace
    from webhook_deliveries d
    left join cameras c on c.camera_id = d.data ->> 'camera_id'
    left join events e on e.event_id = case
      when starts_with(d.event_type, 'alert_') then (d.data ->> 'event_id')::bigint
      when starts_with(d.event_type, 'event_') or starts_with(d.event_type, 'batch_') then d.event_id::bigint
    end
    where d.delivery_id = ${id}
  `;
  return row;
}

/** Lists a page of a webhook's deliveries, newest first. */
export async function listDeliveries(
  sql: Sql,
  webhookId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly Delivery[]> {
  return await sql<Delivery[]>`
    select ${columns(sql)}
    from webhook_deliveries d
    where d.webhook_id = ${webhookId}
    order by d.created_at desc, d.delivery_id desc
    limit ${page.limit}
    offset ${page.offset}
  `;
}

/** Counts a webhook's deliveries. */
export async function countDeliveries(sql: Sql, webhookId: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from webhook_deliveries d
    where d.webhook_id = ${webhookId}
  `;
  return row.count;
}

/** Lists the attempts of a delivery, in order. */
export async function attemptsOf(sql: Sql, deliveryId: string): Promise<readonly Attempt[]> {
  return await sql<Attempt[]>`
    select a.attempt, a.started_at, a.finished_at, a.status_code, a.error, a.response
    from webhook_delivery_attempts a
    where a.delivery_id = ${deliveryId}
    order by a.attempt
  `;
}

/** Stores the state of a delivery. */
export async function updateDelivery(
  sql: Sql,
  id: string,
  to: Pick<Delivery, "status" | "status_code" | "response_time_ms" | "error_message" | "attempt_count" | "next_retry_at" | "delivered_at">,
): Promise<void> {
  await sql`
    update webhook_deliveries d
    set status = ${to.status}, status_code = ${to.status_code}, response_time_ms = ${to.response_time_ms},
      error_message = ${to.error_message}, attempt_count = ${to.attempt_count}, next_retry_at = ${to.next_retry_at},
      delivered_at = ${to.delivered_at}
    where d.delivery_id = ${id}
  `;
}

/** The state of a delivery after an attempt, and the attempt. */
export interface AttemptedDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly to: Parameters<typeof updateDelivery>[2] & { readonly status: "success" | "retrying" | "failed" };
  readonly attempt: Attempt;
}

/**
 * Counts an attempt at its webhook, and stores it and the new state of its delivery, in this order. One statement, because a busy receiver
 * waits for each one. Returns false if the webhook is gone.
 */
export async function storeAttempted(sql: Sql, { deliveryId, webhookId, to, attempt }: AttemptedDelivery): Promise<boolean> {
  const stored = await sql`
    with counted as (
      ${countingAttempt(sql, webhookId, { at: attempt.finished_at, status: to.status })}
      returning w.webhook_id
    ), changed as (
      update webhook_deliveries d
      set status = ${to.status}, status_code = ${to.status_code}, response_time_ms = ${to.response_time_ms},
        error_message = ${to.error_message}, attempt_count = ${to.attempt_count}, next_retry_at = ${to.next_retry_at},
        delivered_at = ${to.delivered_at}
      from counted c
      where d.delivery_id = ${deliveryId}
        and d.webhook_id = c.webhook_id
      returning d.delivery_id
    )
    insert into webhook_delivery_attempts (delivery_id, attempt, started_at, finished_at, status_code, error, response)
    select c.delivery_id, ${attempt.attempt}::integer, ${attempt.started_at}::timestamptz, ${attempt.finished_at}::timestamptz,
      ${attempt.status_code}::integer, ${attempt.error}::text, ${attempt.response}::text
    from changed c
  `;
  return stored.count === 1;
}

/**
 * Retries failed deliveries: stores a new delivery of the same message for each, with its job, and removes the old jobs from the dead
 * letters. Skips deliveries that did not fail. Returns the ids of the new ones. Must run in a transaction.
 */
export async function retryDeliveries(sql: Sql, ids: readonly string[], now: Date): Promise<readonly { readonly id: string }[]> {
  const created = await sql<{ id: string }[]>`
    with again as (
      select gen_random_uuid() as new_id, d.delivery_id, d.webhook_id, d.event_type, d.event_id, d.data, d.emitted_at, d.message_id, d.by_rule
      from webhook_deliveries d
      where d.delivery_id = any (${[...ids]}::uuid[])
        and d.status = 'failed'
    ), stored as (
      insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, data, emitted_at, created_at, retry_of, message_id, by_rule)
      select a.new_id, a.webhook_id, a.event_type, a.event_id, a.data, a.emitted_at, ${now}, a.delivery_id, a.message_id, a.by_rule
      from again a
    ), queued as (
      ${insertDeliverJobs(sql, { deliveryId: sql`a.new_id`, webhookId: sql`a.webhook_id` }, now)}
      from again a
      order by a.emitted_at, a.delivery_id
    )
    select a.new_id as id
    from again a
  `;
  await sql`
    delete from jobs j
    where j.queue = 'deliver'
      and j.status <> 'running'
      and j.subject = any (${ids.map((id) => `delivery:${id}`)}::text[])
  `;
  return created;
}

/** Counts the finished deliveries of all webhooks since `since`, and averages their response times. */
export async function deliveryTotals(
  sql: Sql,
  since: Date,
): Promise<{ readonly total: number; readonly successful: number; readonly failed: number; readonly averageMs: number | null }> {
  const [row] = await sql<[{ total: number; successful: number; failed: number; averageMs: number | null }]>`
    select count(*) filter (where d.status in ('success', 'failed')) as total,
      count(*) filter (where d.status = 'success') as successful,
      count(*) filter (where d.status = 'failed') as failed, avg(d.response_time_ms)::float8 as "averageMs"
    from webhook_deliveries d
    where d.created_at >= ${since}
  `;
  return row;
}

/** Lists the success rate, 0 to 1, of each enabled webhook that finished deliveries since `since`. */
export async function successShares(sql: Sql, since: Date): Promise<readonly number[]> {
  const rows = await sql<{ share: number }[]>`
    select avg((d.status = 'success')::int)::float8 as share
    from webhook_deliveries d
    join webhooks w using (webhook_id)
    where d.created_at >= ${since}
      and d.status in ('success', 'failed')
      and w.enabled
    group by d.webhook_id
  `;
  return rows.map(({ share }) => share);
}

/** Deletes at most `limit` finished deliveries that are older than `before`, and returns how many. */
export async function deleteDeliveriesBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const deleted = await sql`
    delete from webhook_deliveries d
    where d.delivery_id = any (array(
      select o.delivery_id
      from webhook_deliveries o
      where o.created_at < ${before}
        and o.status in ('success', 'failed')
        and o.event_id <> all (array(
          select p.event_id::text from events p where p.pinned_at is not null
          union all
          select a.alert_id::text from events p join alerts a on a.event_id = p.event_id where p.pinned_at is not null
        ))
      order by o.created_at
      limit ${limit}
    ))
  `;
  return deleted.count;
}

/** Makes retries due now whose last attempt lies in the future: the clock was set back, so their wait is meaningless. */
export async function bringForwardRetries(sql: Sql, now: Date): Promise<void> {
  await sql`
    update webhook_deliveries d
    set next_retry_at = ${now}
    where d.status = 'retrying'
      and d.next_retry_at > ${now}
      and exists (select from webhook_delivery_attempts a where a.delivery_id = d.delivery_id and a.finished_at > ${now})
  `;
}
