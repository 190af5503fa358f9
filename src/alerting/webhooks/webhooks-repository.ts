import type { OutboundEventType } from "../../contract/outbound-events.ts";
import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { noteWake } from "../../work/jobs/wakes-repository.ts";
import type { StoredWebhook, WebhookDefinition } from "./webhook.ts";

/** A definition as its columns store it. */
export interface DefinitionColumns extends Omit<WebhookDefinition, "auth" | "custom_headers"> {
  readonly sealedAuth: Uint8Array | null;
  readonly sealedHeaders: Uint8Array | null;
}

/** All columns, under their names in the API. */
const columns = (sql: Sql) => sql`
  w.webhook_id as id, w.name, w.url, w.event_types, w.rule_ids, w.severities, w.integration_type, w.enabled, w.disabled_reason, w.payload_template, w.max_retries,
  w.retry_delay_seconds, w.created_at, w.updated_at, w.total_deliveries, w.successful_deliveries, w.last_delivery_at, w.last_delivery_status,
  w.sealed_auth, w.sealed_headers, w.sealed_secret, w.sealed_previous_secret, w.previous_secret_until
`;

/** Stores a new webhook. */
export async function insertWebhook(
  sql: Sql,
  id: string,
  webhook: DefinitionColumns & { readonly sealedSecret: Uint8Array },
  now: Date,
): Promise<StoredWebhook> {
  const [row] = await sql<[StoredWebhook]>`
    insert into webhooks as w (
      webhook_id, name, url, event_types, rule_ids, severities, integration_type, enabled, sealed_auth, sealed_headers, sealed_secret, payload_template,
      max_retries, retry_delay_seconds, created_at, updated_at
    )
    values (
      ${id}, ${webhook.name}, ${webhook.url}, ${webhook.event_types}::text[], ${webhook.rule_ids}::uuid[], ${webhook.severities}::text[],
      ${webhook.integration_type}, ${webhook.enabled}, ${webhook.sealedAuth}, ${webhook.sealedHeaders}, ${webhook.sealedSecret}, ${webhook.payload_template},
      ${webhook.max_retries}, ${webhook.retry_delay_seconds}, ${now}, ${now}
    )
    returning ${columns(sql)}
  `;
  return row;
}

/** Lists a page of webhooks, newest first. */
export async function listWebhooks(
  sql: Sql,
  enabledOnly: boolean,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly StoredWebhook[]> {
  return await sql<StoredWebhook[]>`
    select ${columns(sql)}
    from webhooks w
    where w.enabled or not ${enabledOnly}
    order by w.created_at desc, w.webhook_id desc
    limit ${page.limit}
    offset ${page.offset}
  `;
}

/** The names of the enabled webhooks that subscribe to a type of event. */
export async function subscribersOf(sql: Sql, type: OutboundEventType): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select w.name
    from webhooks w
    where w.enabled
      and ${type} = any (w.event_types)
    order by lower(w.name)
  `;
  return rows.map(({ name }) => name);
}

/** Counts the webhooks, or the enabled ones. */
export async function countWebhooks(sql: Sql, enabledOnly: boolean): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from webhooks w
    where w.enabled or not ${enabledOnly}
  `;
  return row.count;
}

/** Finds a webhook. `lock` prevents changes by others until the transaction ends. */
export async function findWebhook(sql: Sql, id: string, lock?: "lock"): Promise<StoredWebhook | undefined> {
  const [row] = await sql<[StoredWebhook?]>`
    select ${columns(sql)}
    from webhooks w
    where w.webhook_id = ${id}
    ${lock ? sql`for no key update` : sql``}
  `;
  return row;
}

/** Stores a changed definition. Enabling clears the reason why homesec disabled the webhook. */
export async function updateWebhook(sql: Sql, id: string, webhook: DefinitionColumns, now: Date): Promise<StoredWebhook> {
  const [row] = await sql<[StoredWebhook]>`
    update webhooks w
    set name = ${webhook.name}, url = ${webhook.url}, event_types = ${webhook.event_types}::text[],
      rule_ids = ${webhook.rule_ids}::uuid[], severities = ${webhook.severities}::text[], integration_type = ${webhook.integration_type}, enabled = ${webhook.enabled},
      disabled_reason = case when ${webhook.enabled} then null else w.disabled_reason end,
      sealed_auth = ${webhook.sealedAuth}, sealed_headers = ${webhook.sealedHeaders}, payload_template = ${webhook.payload_template},
      max_retries = ${webhook.max_retries}, retry_delay_seconds = ${webhook.retry_delay_seconds}, updated_at = ${now}
    where w.webhook_id = ${id}
    returning ${columns(sql)}
  `;
  return row;
}

/** Enables or disables a webhook. `reason` says why homesec itself does so. Returns undefined when there is no such webhook. */
export async function setEnabled(
  sql: Sql,
  id: string,
  enabled: boolean,
  reason: string | null,
  now: Date,
): Promise<StoredWebhook | undefined> {
  const [row] = await sql<[StoredWebhook?]>`
    update webhooks w
    set enabled = ${enabled}, disabled_reason = ${reason}, updated_at = ${now}
    where w.webhook_id = ${id}
    returning ${columns(sql)}
  `;
  if (row && enabled) noteWake(sql, "jobs:deliver");
  return row;
}

/** Stores a new signing secret; the previous one also signs until `previousUntil`. */
export async function rotateSecret(
  sql: Sql,
  id: string,
  sealedSecret: Uint8Array,
  times: { readonly previousUntil: Date; readonly now: Date },
): Promise<void> {
  await sql`
    update webhooks w
    set sealed_previous_secret = case when ${times.previousUntil}::timestamptz > ${times.now} then w.sealed_secret end,
      previous_secret_until = ${times.previousUntil}, sealed_secret = ${sealedSecret}, updated_at = ${times.now}
    where w.webhook_id = ${id}
  `;
}

/** An attempt as its webhook counts it. */
export interface CountedAttempt {
  readonly at: Date;
  readonly status: "success" | "retrying" | "failed";
}

/** Stores time and status of the last attempt, and counts the delivery when it has finished. */
export async function countAttempt(sql: Sql, id: string, attempt: CountedAttempt): Promise<void> {
  await countingAttempt(sql, id, attempt);
}

/** The same as a part of another statement, for the webhook `w`. */
export const countingAttempt = (sql: Sql, id: string, attempt: CountedAttempt): SqlFragment => sql`
  update webhooks w
  set last_delivery_at = ${attempt.at}, last_delivery_status = ${attempt.status},
    total_deliveries = w.total_deliveries + ${attempt.status === "retrying" ? 0 : 1},
    successful_deliveries = w.successful_deliveries + ${attempt.status === "success" ? 1 : 0}
  where w.webhook_id = ${id}
`;

/** Deletes a webhook with its deliveries. Returns false when there is no such webhook. */
export async function deleteWebhook(sql: Sql, id: string): Promise<boolean> {
  const deleted = await sql`
    delete from webhooks w
    where w.webhook_id = ${id}
  `;
  return deleted.count === 1;
}
