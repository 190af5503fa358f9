import { randomUUID } from "node:crypto";
import { notFound, Problem } from "../../contract/problem.ts";
import type { webPushRoutes } from "../../contract/routes/web-push.ts";
import { isUniqueViolation } from "../../platform/database/pg-errors.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { settleAlert } from "../alerts/settle.ts";
import { takePressed } from "../answers/take.ts";
import { recordOf, type Settings, type StoredChannel, sealSettings } from "../channels/channel.ts";
import { deleteChannel, findDevice, insertChannel, listChannels, rulesNaming, updateChannel } from "../channels/channels-repository.ts";
import { checkedSettings, phoneKinds, subscriptionOf } from "../channels/kinds.ts";
import { cancelForChannel } from "../notifications/notifications-repository.ts";
import { vapidKeys } from "./vapid-repository.ts";

type Sql = Parameters<typeof findDevice>[0];

const most = 100;

/** The operations on browsers that receive alerts. */
export const webPushOperations: Pick<Operations, keyof typeof webPushRoutes> = {
  getPushKey: async (_, { db, sealer, clock }) => {
    const { publicKey } = await db.transaction((sql) => vapidKeys(sql, sealer, clock.now()));
    return { public_key: publicKey };
  },

  subscribeDevice: async ({ body }, context) => {
    const { db, sealer, clock } = context;
    const settings = await settingsOf(body, context);
    const columns = sealSettings(phoneKinds.web_push, settings, sealer);
    const now = clock.now();
    const store = async (sql: Sql): Promise<StoredChannel> => {
      const known =
        (await findDevice(sql, subscriptionOf(body.endpoint), "lock")) ?? (body.replaces && (await findDevice(sql, body.replaces, "lock")));
      if (known) return await updateChannel(sql, known.id, { ...columns, name: known.name, enabled: true }, now);
      const channels = await listChannels(sql);
      if (channels.length >= most) throw new Problem("conflict", `There are ${most} channels already; remove one that is not used`);
      const channel = { ...columns, id: randomUUID(), kind: "web_push", name: freeName(body.device, channels), enabled: true } as const;
      return await insertChannel(sql, channel, now);
    };
    return recordOf(await unlessTaken(() => db.transaction(store)), sealer);
  },

  getDevice: async ({ params: { subscription } }, { db, sealer }) => recordOf(await db.query((sql) => required(sql, subscription)), sealer),

  unsubscribeDevice: async ({ params: { subscription } }, { db, clock }) => {
    await db.transaction(async (sql) => {
      const channel = await required(sql, subscription);
      const rules = await rulesNaming(sql, [channel.name]);
      const fix = "turn the channel off, or change them first";
      if (rules.length > 0) throw new Problem("conflict", `These rules name the channel ${channel.name}: ${rules.join(", ")}; ${fix}`);
      // Notifications are locked before the channel, as when an attempt is stored
      for (const alertId of await cancelForChannel(sql, channel, clock.now())) await settleAlert(sql, alertId, clock.now());
      await deleteChannel(sql, channel.id);
    });
    return undefined;
  },

  answerAlert: async ({ body: { token } }, context) => {
    const onAnswer = (outcome: Parameters<NonNullable<typeof context.runtime>["countAnswer"]>[0]): void =>
      context.runtime?.countAnswer(outcome);
    const { outcome, text } = await takePressed(token, context.caller?.access?.name, { ...context, onAnswer });
    if (outcome === "done" || outcome === "repeated") return { outcome, text };
    throw new Problem(outcome === "late" || outcome === "gone" ? "gone" : "forbidden", text);
  },
};

type Given = Parameters<(typeof webPushOperations)["subscribeDevice"]>[0]["body"];

/** Checks a subscription, and joins it with the key pair that it was made with. Throws `Problem("invalid")`. */
async function settingsOf({ endpoint, keys, device }: Given, { db, outbound, sealer, clock }: OperationContext): Promise<Settings> {
  const { publicKey, privateKey } = await db.transaction((sql) => vapidKeys(sql, sealer, clock.now()));
  const server = URL.canParse(endpoint) ? new URL(endpoint).origin : "";
  const own = { server, subscription: subscriptionOf(endpoint), vapid_public: publicKey, vapid_private: privateKey };
  const settings = checkedSettings("web_push", { ...own, ...keys, endpoint, device });
  const refusal = await outbound.refusalOf(endpoint, { isOnInternet: true });
  if (refusal === undefined) return settings;
  throw new Problem("invalid", `endpoint: ${refusal}`, { items: [{ loc: ["body", "endpoint"], msg: refusal, type: "value_error" }] });
}

async function required(sql: Sql, subscription: string): Promise<StoredChannel> {
  const channel = /^[0-9a-f]{32}$/.test(subscription) ? await findDevice(sql, subscription) : undefined;
  if (!channel) throw notFound("The channel of the subscription", subscription);
  return channel;
}

/** A number distinguishes two phones of one make. */
function freeName(device: string, channels: readonly StoredChannel[]): string {
  const plain = device.replaceAll(",", " ").replaceAll(/\s+/g, " ").trim() || "Browser";
  const taken = new Set(["email", "webhook", "push", ...channels.map(({ name }) => name.toLowerCase())]);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? plain : `${plain} ${number}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/** Two devices may subscribe at the same moment. */
async function unlessTaken<T>(store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return await store();
  }
}
