import type { notificationRoutes } from "../routes/notifications.ts";
import type { ExamplesOf } from "./example.ts";

export const notificationExamples = {
  getNotificationConfig: {
    reply: {
      notification_enabled: true,
      email_configured: true,
      webhook_configured: true,
      push_configured: false,
      available_channels: ["email", "webhook"],
      smtp_host: "mail.example.org",
      smtp_port: 587,
      smtp_from_address: "homesec@example.org",
      default_webhook_url: "https://hooks.example.org",
      default_email_recipients: ["me@example.org"],
    },
  },
  testNotification: {
    body: { channel: "email", email_recipients: ["me@example.org"] },
    reply: { channel: "email", success: true, error: null, message: "The test message was taken for me@example.org" },
  },
} satisfies ExamplesOf<typeof notificationRoutes>;
