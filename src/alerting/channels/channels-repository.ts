import { allRecipients } from "../../contract/constants.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Outcome } from "../delivery/outcome.ts";
import type { ChannelRecord, SettingColumns, StoredChannel } from "./channel.ts";

const columns = (sql: Sql) => sql`
  c.channel_id as id, c.name, c.kind, c.settings, c.sealed_settings, c.enabled, c.last_attempt_at, c.last_error, c.created_at, c.updated_at
`;

/** Everything that a user can set. */
export type ChannelColumns = SettingColumns & Pick<ChannelRecord, "name" | "enabled">;

/** Lists the channels by name. */
export async function listChannels(sql: Sql): Promise<readonly StoredChannel[]> {
  return await sql<StoredChannel[]>`
    select ${columns(sql)}
    from channels c
    order by lower(c.name)
  `;
}

/** Finds a channel. `lock` prevents changes by others until the transaction ends. */
export async function findChannel(sql: Sql, id: string, lock?: "lock"): Promise<StoredChannel | undefined> {
  const [row] = await sql<[StoredChannel?]>`
    select ${columns(sql)}
    from channels c
    where c.channel_id = ${id}
    ${lock ? sql`for no key update` : sql``}
  `;
  return row;
}

/** Finds the channel of a browser by its subscription. */
export async function findDevice(sql: Sql, subscription: string, lock?: "lock"): Promise<StoredChannel | undefined> {
  const [row] = await sql<[StoredChannel?]>`
    select ${columns(sql)}
    from channels c
    where c.kind = 'web_push'
      and c.settings ->> 'subscription' = ${subscription}
    ${lock ? sql`for no key update` : sql``}
  `;
  return row;
}

/** Stores a new channel. Throws a unique violation if another channel has its name. */
export async function insertChannel(
  sql: Sql,
  channel: ChannelColumns & Pick<ChannelRecord, "id" | "kind">,
  now: Date,
): Promise<StoredChannel> {
  const [row] = await sql<[StoredChannel]>`
    insert into channels as c (channel_id, name, kind, settings, sealed_settings, enabled, created_at, updated_at)
    values (
      ${channel.id}, ${channel.name}, ${channel.kind}, ${JSON.stringify(channel.settings)}::text::jsonb, ${channel.sealedSettings},
      ${channel.enabled}, ${now}, ${now}
    )
    returning ${columns(sql)}
  `;
  return row;
}

/** Stores a changed channel. Throws a unique violation if another channel has its name. */
export async function updateChannel(sql: Sql, id: string, channel: ChannelColumns, now: Date): Promise<StoredChannel> {
  const [row] = await sql<[StoredChannel]>`
    update channels c
    set name = ${channel.name}, settings = ${JSON.stringify(channel.settings)}::text::jsonb, sealed_settings = ${channel.sealedSettings},
      enabled = ${channel.enabled}, updated_at = ${now}
    where c.channel_id = ${id}
    returning ${columns(sql)}
  `;
  return row;
}

/** Stores the result of an attempt. A channel whose service knows the phone no more is switched off. */
export async function storeLastAttempt(sql: Sql, id: string, outcome: Outcome, now: Date): Promise<void> {
  const isGone = outcome.kind === "failed" && outcome.isGone === true;
  await sql`
    update channels c
    set last_attempt_at = ${now}, last_error = ${outcome.kind === "sent" ? null : outcome.answer}, enabled = c.enabled and not ${isGone}
    where c.channel_id = ${id}
  `;
}

/** Deletes a channel. */
export async function deleteChannel(sql: Sql, id: string): Promise<void> {
  await sql`delete from channels c where c.channel_id = ${id}`;
}

/** The names of the rules whose channels have one of these words, oldest first. */
export async function rulesNaming(sql: Sql, words: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select r.name
    from rules r
    where exists (select from unnest(r.channels) as w (word) where lower(w.word) = any (${words.map((word) => word.toLowerCase())}::text[]))
    order by r.created_at, r.rule_id
  `;
  return rows.map((row) => row.name);
}

/** A channel to phones or a webhook, which a rule can name. */
export interface NamedChannel {
  readonly id: string;
  /** Null for a webhook. */
  readonly kind: ChannelRecord["kind"] | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly isWebhook: boolean;
}

/** Lists what rules can name: the channels to phones, then the webhooks, by name. */
export async function namedChannels(sql: Sql): Promise<readonly NamedChannel[]> {
  return await sql<NamedChannel[]>`
    select c.channel_id as id, c.kind, c.name, c.enabled, false as "isWebhook"
    from channels c
    union all
    select w.webhook_id, null, w.name, w.enabled, true
    from webhooks w
    order by "isWebhook", name, id
  `;
}

/** Whether a channel to phones is enabled, so that `push` sends something. */
export async function hasPhones(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ has: boolean }]>`select exists (select from channels c where c.enabled) as has`;
  return row.has;
}

/** A recipient whom rules can name. */
export interface NamedRecipient {
  readonly id: string;
  readonly name: string;
  readonly channels: readonly string[];
  readonly enabled: boolean;
}

/** Lists the recipients whom these words name, or all of them, by name. The order is the same everywhere, for locks. */
export async function namedRecipients(sql: Sql, words: readonly string[]): Promise<readonly NamedRecipient[]> {
  return await sql<NamedRecipient[]>`
    select r.recipient_id as id, r.name, r.channels, r.enabled
    from recipients r
    where ${words.includes(allRecipients)}
      or lower(r.name) = any (${words.map((word) => word.toLowerCase())}::text[])
    order by lower(r.name)
  `;
}
