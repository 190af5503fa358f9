import { z } from "zod";
import { channels } from "../constants.ts";
import { routesOf } from "../route.ts";
import { EnumText, MailAddress } from "../values.ts";

const route = routesOf("notifications");

/** The available channels. Secrets are masked. */
export const NotificationConfig = z
  .object({
    notification_enabled: z.boolean().meta({ description: "Whether homesec sends notifications (NOTIFICATION_ENABLED)", example: true }),
    email_configured: z.boolean().meta({ description: "Whether a mail server and a sender are configured", example: true }),
    webhook_configured: z.boolean().meta({ description: "Whether DEFAULT_WEBHOOK_URL is set", example: true }),
    push_configured: z.boolean().meta({ description: "Whether a channel to phones is enabled", example: false }),
    available_channels: z
      .array(z.enum(channels))
      .meta({ description: "Enabled channels; alerts by mail also need `default_email_recipients`" }),
    smtp_host: z.string().nullable().meta({ description: "Mail server", example: "mail.example.org" }),
    smtp_port: z.int().meta({ description: "Port of the mail server", example: 587 }),
    smtp_from_address: z.string().nullable().meta({ description: "Sender address", example: "homesec@example.org" }),
    default_webhook_url: z.string().nullable().meta({ description: "Scheme and host; the rest is secret" }),
    default_email_recipients: z.array(z.string()).meta({ description: "Recipients of mails", example: ["me@example.org"] }),
  })
  .meta({
    id: "NotificationConfig",
    description: "Notification channels and their configuration; secrets are masked",
    example: { available_channels: ["email", "webhook"], default_webhook_url: "https://hooks.example.org" },
  });

export const notificationRoutes = {
  getNotificationConfig: route.get("/api/notification/config", "Get the configuration of the notification channels", {
    reply: NotificationConfig,
  }),
  testNotification: route.post("/api/notification/test", "Send a test message through a channel, as an alert would be sent", {
    body: z.strictObject({
      channel: EnumText(channels).meta({ description: "Channel to test" }),
      email_recipients: z
        .array(MailAddress)
        .max(50)
        .nullish()
        .meta({ description: "For `email`: recipients instead of DEFAULT_EMAIL_RECIPIENTS; an empty list counts as omitted" }),
    }),
    reply: z
      .object({
        channel: z.enum(channels).meta({ description: "As requested" }),
        success: z.boolean().meta({ description: "Whether the message was accepted", example: true }),
        error: z.string().nullable().meta({ description: "Error of the recipient, or the missing configuration; null on success" }),
        message: z.string().meta({ description: "Result in one sentence" }),
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
