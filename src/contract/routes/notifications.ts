import { z } from "zod";
import { channels } from "../constants.ts";
import { route } from "../route.ts";
import { EnumText } from "../values.ts";

/** The available channels. Secrets are masked. */
export const NotificationConfig = z
  .object({
    notification_enabled: z.boolean().meta({ description: "NOTIFICATION_ENABLED: whether anything is sent at all", example: true }),
    email_configured: z.boolean().meta({ description: "There are a mail server and a sender", example: true }),
    webhook_configured: z.boolean().meta({ description: "There is a DEFAULT_WEBHOOK_URL", example: true }),
    push_configured: z.boolean().meta({ description: "Never: there are no push notifications in this version" }),
    available_channels: z
      .array(z.enum(channels))
      .meta({ description: "Those that are switched on; alerts by mail need `default_email_recipients` as well" }),
    smtp_host: z.string().nullable().meta({ description: "The mail server", example: "mail.example.org" }),
    smtp_port: z.int().meta({ description: "Its port", example: 587 }),
    smtp_from_address: z.string().nullable().meta({ description: "The sender of mails", example: "homesec@example.org" }),
    default_webhook_url: z.string().nullable().meta({ description: "Scheme and host; the rest is secret" }),
    default_email_recipients: z.array(z.string()).meta({ description: "Who gets the mails", example: ["me@example.org"] }),
  })
  .meta({
    id: "NotificationConfig",
    description: "Notification channels and their configuration; secrets are masked",
    example: { available_channels: ["email", "webhook"], default_webhook_url: "https://hooks.example.org" },
  });

/** One plain mail address without a display name; it cannot inject a list or a header. */
const MailAddress = z
  .string()
  .max(320)
  .regex(/^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u, "Must be a mail address such as me@example.org");

export const notificationRoutes = {
  getNotificationConfig: route("/api/notification/config", {
    method: "get",
    summary: "Get the configuration of the notification channels",
    tag: "notifications",
    reply: NotificationConfig,
  }),
  testNotification: route("/api/notification/test", {
    method: "post",
    summary: "Send a test message through a channel, as an alert would be sent",
    tag: "notifications",
    body: z.strictObject({
      channel: EnumText(channels).meta({ description: "Channel to test" }),
      email_recipients: z
        .array(MailAddress)
        .max(50)
        .nullish()
        .meta({ description: "For `email`: these instead of DEFAULT_EMAIL_RECIPIENTS; empty is the same as none" }),
    }),
    reply: z
      .object({
        channel: z.enum(channels).meta({ description: "As requested" }),
        success: z.boolean().meta({ description: "Whether the message was accepted", example: true }),
        error: z.string().nullable().meta({ description: "Error of the recipient, or what is not configured" }),
        message: z.string().meta({ description: "Result as a sentence" }),
      })
      .meta({
        id: "NotificationTest",
        description: "Result of a test message",
        example: { message: "The test message was taken for me@example.org" },
      }),
    slow: true,
    example: { body: { email_recipients: ["me@example.org"] } },
  }),
};
