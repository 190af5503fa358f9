import { z } from "zod";
import { examples } from "../examples.ts";
import { route } from "../route.ts";
import { EnumText } from "../values.ts";
import { channels } from "./rules.ts";

/** Which channels can be used. Secrets are masked. */
export const NotificationConfig = z
  .object({
    notification_enabled: z.boolean(),
    email_configured: z.boolean().meta({ description: "There are a mail server and a sender" }),
    webhook_configured: z.boolean(),
    push_configured: z.boolean().meta({ description: "Never: there are no push notifications in this version" }),
    available_channels: z.array(z.enum(channels)).meta({ description: "Those through which an alert would be sent now" }),
    smtp_host: z.string().nullable(),
    smtp_port: z.int(),
    smtp_from_address: z.string().nullable(),
    default_webhook_url: z.string().nullable().meta({ description: "Scheme and host; the rest is secret" }),
    default_email_recipients: z.array(z.string()),
  })
  .meta({ id: "NotificationConfig" });

/** One plain mail address, without a name, which cannot be taken for a list or a header. */
const MailAddress = z
  .string()
  .max(320)
  .regex(/^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u, "Must be a mail address such as me@example.org");

export const notificationRoutes = {
  getNotificationConfig: route("/api/notification/config", {
    method: "get",
    summary: "Which notification channels can be used",
    tag: "notifications",
    reply: NotificationConfig,
  }),
  testNotification: route("/api/notification/test", {
    method: "post",
    summary: "Send a test message through a channel, as an alert would be sent",
    tag: "notifications",
    body: z
      .strictObject({
        channel: EnumText(channels),
        email_recipients: z
          .array(MailAddress)
          .max(50)
          .nullish()
          .meta({ description: "For `email`: these instead of DEFAULT_EMAIL_RECIPIENTS; empty is the same as none" }),
      })
      .meta({ examples: [examples.notificationTest] }),
    reply: z
      .object({
        channel: z.enum(channels),
        success: z.boolean(),
        error: z.string().nullable().meta({ description: "What the other side said, or what is not configured" }),
        message: z.string(),
      })
      .meta({ id: "NotificationTest" }),
    slow: true,
  }),
};
