import { z } from "zod";
import { routesOf } from "../route.ts";
import { DisplayName } from "../values.ts";
import { PhoneChannel } from "./channels.ts";

const route = routesOf("channels");

/** Bytes as browsers write them: base64url, with or without padding. */
const Base64 = (bytes: number) =>
  z.string().regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}={0,2}$`), `Must be ${bytes} bytes in base64url`);

const Subscription = z.string().regex(/^[0-9a-f]{32}$/, "Must be 32 hexadecimal digits");

const params = z.object({
  subscription: z.string().meta({ description: "The first 32 digits of the SHA-256 of the endpoint, in hexadecimal" }),
});
const noSuchDevice = "No channel belongs to this subscription";

export const webPushRoutes = {
  getPushKey: route.get("/api/push/key", "Get the key with which a browser subscribes to alerts", {
    reply: z
      .object({
        public_key: z.string().meta({
          description: "Public VAPID key, in base64url; homesec makes the pair at the first request",
          example: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
        }),
      })
      .meta({ id: "PushKey", description: "The public key of this homesec for Web Push" }),
  }),
  subscribeDevice: route.post("/api/push/devices", "Let a browser receive alerts; the same device again replaces its channel", {
    body: z.strictObject({
      endpoint: z
        .string()
        .max(2048)
        .regex(/^https:\/\/[^/?#@]+(?:[/?#]|$)/i, "Must be an https address, which the browser gives")
        .meta({
          description: "Address of the push service, which the browser gives: https, and on the internet",
          example: "https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ",
        }),
      keys: z
        .strictObject({
          p256dh: Base64(65).meta({ description: "Public key of the browser" }),
          auth: Base64(16).meta({ description: "Secret of the subscription" }),
        })
        .meta({ description: "Keys with which homesec encrypts messages for this browser" }),
      device: DisplayName(80).meta({ description: "Name of the device for the list of channels", example: "Chrome on Android" }),
      replaces: Subscription.optional().meta({ description: "The earlier subscription of this device, whose channel it keeps" }),
    }),
    status: 201,
    reply: PhoneChannel,
    refusals: { 409: "There are 100 channels already" },
    example: {
      body: {
        endpoint: "https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ",
        keys: {
          p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
          auth: "BTBZMqHH6r4Tts7J_aSIgg",
        },
        device: "Chrome on Android",
      },
      reply: { name: "Chrome on Android", kind: "web_push" },
    },
  }),
  getDevice: route.get("/api/push/devices/{subscription}", "Get the channel of a browser", {
    params,
    reply: PhoneChannel,
    refusals: { 404: noSuchDevice },
    example: { reply: { name: "Chrome on Android", kind: "web_push" } },
  }),
  unsubscribeDevice: route.delete("/api/push/devices/{subscription}", "Let a browser receive no more alerts", {
    params,
    status: 204,
    refusals: { 404: noSuchDevice, 409: "A rule names the channel" },
  }),
  answerAlert: route.post("/api/answers", "Answer an alert with the signed token of a button; works once, for 24 hours", {
    auth: "none",
    body: z.strictObject({
      token: z.string().min(1).max(200).meta({ description: "Token of the button", example: "AEpXgg2eTk6wm8WZ3m3k1gBp" }),
    }),
    reply: z
      .object({
        outcome: z.enum(["done", "repeated"]).meta({ description: "`repeated`: another answer had this effect already", example: "done" }),
        text: z.string().meta({ description: "The result in one sentence", example: "Acknowledged" }),
      })
      .meta({ id: "AlertAnswer", description: "The effect of a button" }),
    refusals: { 403: "homesec did not write this token", 410: "The button is older than 24 hours, or the alert was deleted" },
  }),
};
