import { z } from "zod";
import { allRecipients, channelKinds, channels } from "../constants.ts";
import { routesOf } from "../route.ts";
import { DisplayName, Instant, IntBetween, readOnly } from "../values.ts";

const route = routesOf("channels");

const ChannelId = z.uuid().meta({ description: "Id of the channel", example: "4f5c2a9e-1f0b-4a55-8a0e-6f6f1b7f0c11" });
const SettingValue = z.union([z.string().max(4096), z.boolean()]);

/** A channel to phones as clients receive it, without its secrets. */
export const PhoneChannel = z
  .object({
    id: ChannelId,
    name: z.string().meta({ description: "Name; rules name the channel by it", example: "Anna's phone" }),
    kind: z.enum(channelKinds).meta({ description: "The service that the channel uses", example: "ntfy" }),
    settings: z
      .record(z.string(), SettingValue)
      .meta({ description: "Settings of its kind, without secrets; docs/phones.md has the list" }),
    secrets: z.array(z.string()).meta({ description: "Names of the secret settings that are set; their values are never returned" }),
    enabled: z.boolean().meta({ description: "Whether messages are sent", example: true }),
    last_attempt_at: Instant.nullable().meta({ description: "Time of the last message or test; null before the first" }),
    last_error: z.string().nullable().meta({ description: "Why the last message was not accepted; null if it was" }),
    created_at: Instant.meta({ description: "Time of creation" }),
    updated_at: Instant.meta({ description: "Time of the last change" }),
  })
  .meta({
    id: "Channel",
    description: "A channel to phones, without its secrets",
    example: { settings: { server: "https://ntfy.sh", topic: "home-7Qm2xK" }, secrets: ["token"], last_error: null },
  });

/** Accepts `home-assistant` for `home_assistant`, in any case. */
const KindText = z.codec(z.string(), z.enum(channelKinds), {
  decode: (text) => text.toLowerCase().replaceAll("-", "_") as (typeof channelKinds)[number],
  encode: (value) => value,
});

/** Rules use these words for more than one channel. */
const ChannelName = DisplayName(100).refine(
  (name) => ![...channels, allRecipients].some((word) => word === name.toLowerCase()) && !name.includes(","),
  "Must contain no comma and not be email, webhook, push or all",
);

const writable = {
  name: ChannelName.meta({ description: "Name, different from those of the other channels" }),
  settings: z.record(z.string().max(100), SettingValue.nullable()).meta({
    description: "Settings of the kind, including secrets; null removes one. docs/phones.md has the list",
  }),
  enabled: z.boolean().meta({ description: "Whether messages are sent" }),
};

const params = z.object({ id: z.string().meta({ description: "Id of a channel, a UUID" }) });
const noSuchChannel = "No channel has this id";

const ChannelTest = z
  .object({
    success: z.boolean().meta({ description: "Whether the service accepted the test message", example: true }),
    error: z.string().nullable().meta({ description: "Error of the service, or what is missing; null on success" }),
    message: z.string().meta({ description: "Result in one sentence", example: "ntfy accepted the test message" }),
  })
  .meta({ id: "ChannelTest", description: "Result of a test message" });

export const channelRoutes = {
  listChannels: route.get("/api/channels", "List the channels to phones by name", {
    reply: z.object({ channels: z.array(PhoneChannel).meta({ description: "All channels" }) }),
  }),
  createChannel: route.post("/api/channels", "Create a channel to phones", {
    body: z.strictObject({
      ...writable,
      kind: KindText.meta({ description: "The service that the channel uses" }),
      enabled: writable.enabled.default(true),
    }),
    status: 201,
    reply: PhoneChannel,
    refusals: { 409: "A channel or a recipient has this name already" },
    example: { body: { name: "Anna's phone", kind: "ntfy", settings: { topic: "home-7Qm2xK", token: "tk_of_the_account" } } },
  }),
  findTelegramChats: route.post("/api/channels/telegram-chats", "Wait for a message to a Telegram bot, and list its chats", {
    body: z.strictObject({
      token: z.string().min(1).max(4096).meta({ description: "Token of the bot, from @BotFather" }),
      server: z.string().max(2048).optional().meta({ description: "Address of the Bot API (default https://api.telegram.org)" }),
      wait_seconds: IntBetween(0, 25).default(0).meta({ description: "Wait this long for a first message" }),
    }),
    reply: z
      .object({
        bot: z.string().meta({ description: "Name of the bot", example: "@home_alerts_bot" }),
        chats: z
          .array(
            z.object({
              id: z.string().meta({ description: "Id of the chat", example: "8734562" }),
              title: z.string().meta({ description: "Name of the person or group", example: "Anna" }),
            }),
          )
          .meta({ description: "Chats that wrote to the bot in the last 24 hours, newest first" }),
      })
      .meta({ id: "TelegramChats", description: "A Telegram bot and the chats that wrote to it" }),
    slow: true,
    refusals: { 409: "Another program reads the messages of the bot", 503: "Telegram cannot be reached" },
    example: { body: { token: "123456:what-the-bot-father-said", wait_seconds: 25 } },
  }),
  getChannel: route.get("/api/channels/{id}", "Get a channel", { params, reply: PhoneChannel, refusals: { 404: noSuchChannel } }),
  updateChannel: route.patch("/api/channels/{id}", "Update a channel; omitted fields and settings keep their values", {
    params,
    body: z.strictObject({
      ...z.object(writable).partial().shape,
      ...readOnly(PhoneChannel, ["name", "settings", "enabled"]),
    }),
    reply: PhoneChannel,
    refusals: { 404: noSuchChannel, 409: "A channel or a recipient has this name already, or a rule or a recipient names the channel" },
    example: { body: { enabled: false }, reply: { enabled: false } },
  }),
  deleteChannel: route.delete("/api/channels/{id}", "Delete a channel; its waiting messages are cancelled", {
    params,
    status: 204,
    refusals: { 404: noSuchChannel, 409: "A rule or a recipient names the channel" },
  }),
  testChannel: route.post("/api/channels/{id}/test", "Send a test message with a picture now", {
    params,
    reply: ChannelTest,
    refusals: { 404: noSuchChannel },
    slow: true,
  }),
};
