import { randomUUID } from "node:crypto";
import { pluralize } from "../../base/text/format.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { channelRoutes } from "../../contract/routes/channels.ts";
import { uuidOf } from "../../contract/values.ts";
import { isUniqueViolation } from "../../platform/database/pg-errors.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { settleAlert } from "../alerts/settle.ts";
import { type ChannelRecord, recordOf, type Settings, type StoredChannel, sealSettings, secretsOf } from "../channels/channel.ts";
import { deleteChannel, findChannel, insertChannel, listChannels, rulesNaming, updateChannel } from "../channels/channels-repository.ts";
import { checkedSettings, phoneKinds } from "../channels/kinds.ts";
import { pictureNote, sendTest } from "../channels/test-message.ts";
import { cancelForChannel } from "../notifications/notifications-repository.ts";
import { sendWaiting } from "../notifications/queue.ts";
import { recipientNamed, recipientsWithChannel } from "../recipients/recipients-repository.ts";

import { telegramChats } from "./telegram-chats.ts";

type Sql = Parameters<typeof findChannel>[0];
type Given = Readonly<Record<string, string | boolean | null>>;

/** The operations on channels to phones. */
export const channelOperations: Pick<Operations, keyof typeof channelRoutes> = {
  listChannels: async (_, { db, sealer }) => ({ channels: (await db.query(listChannels)).map((row) => recordOf(row, sealer)) }),

  createChannel: async ({ body: { name, kind, settings: given, enabled } }, context) => {
    const { db, sealer, clock } = context;
    requireSettable(kind);
    const settings = checkedSettings(kind, merged({}, given));
    await requireCallable(kind, settings, context);
    const columns = { id: randomUUID(), name, kind, enabled, ...sealSettings(phoneKinds[kind], settings, sealer) };
    const row = await unlessNameIsTaken(name, () =>
      db.transaction(async (sql) => {
        await requireNoRecipient(sql, name);
        return await insertChannel(sql, columns, clock.now());
      }),
    );
    return recordOf(row, sealer);
  },

  findTelegramChats: async ({ body }, context) => await telegramChats(body, context),

  getChannel: async ({ params }, { db, sealer }) => recordOf(await db.query((sql) => required(sql, params.id)), sealer),

  updateChannel: async ({ params, body }, context) => {
    const { db, sealer, clock } = context;
    const before = await db.query((sql) => required(sql, params.id));
    const { settings: given } = body;
    if (given) requireSettable(before.kind);
    if (given) await requireCallable(before.kind, changedSettings(before, given, sealer), context);
    const { name = before.name } = body;
    const row = await unlessNameIsTaken(name, () =>
      db.transaction(async (sql) => {
        const current = await required(sql, params.id, "lock");
        if (name.toLowerCase() !== current.name.toLowerCase()) {
          await requireUnnamed(sql, current, "rename");
          await requireNoRecipient(sql, name);
        }
        const sealed = given
          ? sealSettings(phoneKinds[current.kind], changedSettings(current, given, sealer), sealer)
          : { settings: current.settings, sealedSettings: current.sealed_settings };
        return await updateChannel(sql, current.id, { name, enabled: body.enabled ?? current.enabled, ...sealed }, clock.now());
      }),
    );
    return recordOf(row, sealer);
  },

  deleteChannel: async ({ params }, { db, clock }) => {
    await db.transaction(async (sql) => {
      const channel = await required(sql, params.id);
      await requireUnnamed(sql, channel, "remove");
      // Notifications are locked before the channel, as when an attempt is stored
      for (const alertId of await cancelForChannel(sql, channel, clock.now())) await settleAlert(sql, alertId, clock.now());
      await deleteChannel(sql, channel.id);
    });
    return undefined;
  },

  testChannel: async ({ params }, context) => {
    const { db, clock, config } = context;
    const row = await db.query((sql) => required(sql, params.id));
    const outcome = await sendTest(row, context);
    if (outcome.kind !== "sent") return { success: false, error: outcome.answer, message: `Test message not sent: ${outcome.answer}` };
    const waited = await sendWaiting(db, { channel: row.name, channelId: row.id }, clock.now());
    const due = waited === 0 ? "" : `; sending ${pluralize(waited, "waiting notification")} now`;
    return {
      success: true,
      error: null,
      message: `${phoneKinds[row.kind].title} accepted the test message${pictureNote(row.kind, config)}${due}`,
    };
  },
};

async function required(sql: Sql, text: string, lock?: "lock"): Promise<StoredChannel> {
  const id = uuidOf(text);
  const row = id && (await findChannel(sql, id, lock));
  if (!row) throw notFound("Channel", text);
  return row;
}

/** Applies given settings; null removes one. */
function merged(before: Settings, given: Given): Settings {
  return Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, value]) => value !== null)) as Settings;
}

/**
 * Returns the settings of a channel after a change. A client that can change the server must not learn the stored secrets that way, so they
 * are not kept for another server. Throws `Problem("invalid")`.
 */
function changedSettings({ kind, settings, sealed_settings }: StoredChannel, given: Given, sealer: Sealer): Settings {
  const secrets = secretsOf(sealed_settings, sealer);
  const next = checkedSettings(kind, merged({ ...settings, ...secrets }, given));
  const kept = Object.keys(secrets).filter((name) => next[name] !== undefined && given[name] === undefined);
  const [first] = kept;
  if (first === undefined || next["server"] === settings["server"]) return next;
  const msg = `Give it again: it was set for ${settings["server"]}, and homesec sends it nowhere else`;
  throw new Problem("invalid", `settings.${first}: ${msg}`, {
    items: kept.map((name) => ({ loc: ["body", "settings", name], msg, type: "missing" as const })),
  });
}

/** Only a browser can subscribe itself. Throws `Problem("invalid")`. */
function requireSettable(kind: ChannelRecord["kind"]): void {
  if (kind !== "web_push") return;
  const msg = "A browser sets this up itself: open the page of homesec on the device, then Settings, Channels, Notify this device";
  throw new Problem("invalid", `kind: ${msg}`, { items: [{ loc: ["body", "kind"], msg, type: "value_error" }] });
}

async function requireCallable(kind: ChannelRecord["kind"], settings: Settings, { outbound }: OperationContext): Promise<void> {
  const { server } = phoneKinds[kind].sender(settings);
  const refusal = await outbound.refusalOf(server);
  if (refusal === undefined) return;
  throw new Problem("invalid", `settings.server: ${refusal}`, {
    items: [{ loc: ["body", "settings", "server"], msg: refusal, type: "value_error" }],
  });
}

async function requireUnnamed(sql: Sql, { name }: StoredChannel, action: string): Promise<void> {
  const rules = await rulesNaming(sql, [name]);
  const recipients = await recipientsWithChannel(sql, name);
  if (recipients.length > 0) {
    const text = `These recipients have the channel ${name}: ${recipients.join(", ")}; change them before you ${action} it`;
    throw new Problem("conflict", text);
  }
  if (rules.length === 0) return;
  throw new Problem("conflict", `These rules name the channel ${name}: ${rules.join(", ")}; change them before you ${action} it`);
}

/** Rules name channels and recipients in one list. */
async function requireNoRecipient(sql: Sql, name: string): Promise<void> {
  const recipient = await recipientNamed(sql, name);
  if (recipient)
    throw new Problem("conflict", `There is a recipient ${recipient.name}, and rules name both in one list; choose another name`);
}

async function unlessNameIsTaken<T>(name: string, store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem("conflict", `There is a channel ${name} already; choose another name`);
  }
}
