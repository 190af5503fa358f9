import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRecord } from "../output/output.ts";
import type { View } from "../output/view.ts";

const set = (isSet: boolean) =>
  isSet ? { text: "configured", paint: "green" as const } : { text: "not configured", paint: "yellow" as const };

type NotificationConfig = Reply<Routes["getNotificationConfig"]>;

/** The channels through which an alert would be sent now: a mail needs somebody to go to. */
export function usableChannels({ available_channels: available, default_email_recipients: recipients }: NotificationConfig) {
  return available.filter((channel) => channel !== "email" || recipients.length > 0);
}

const view: View<NotificationConfig> = {
  plural: "configurations",
  fields: [
    ...(["notification_enabled", "email_configured", "webhook_configured", "push_configured", "available_channels"] as const),
    ...(["smtp_host", "smtp_port", "smtp_from_address", "default_webhook_url", "default_email_recipients"] as const),
  ],
  id: ({ available_channels }) => available_channels.join(","),
  columns: [],
  details: (config) => [
    ["notifications", config.notification_enabled ? { text: "on", paint: "green" } : { text: "off", paint: "yellow" }],
    ["usable", { text: usableChannels(config).join(", ") || "no channel" }],
    ["email", set(config.email_configured)],
    ["mail server", { text: config.smtp_host === null ? "none: set SMTP_HOST" : `${config.smtp_host}:${config.smtp_port}` }],
    ["sender", { text: config.smtp_from_address ?? "none: set SMTP_FROM_ADDRESS" }],
    ["recipients", { text: config.default_email_recipients.join(", ") || "none: set DEFAULT_EMAIL_RECIPIENTS" }],
    ["webhook", set(config.webhook_configured)],
    ["webhook address", { text: config.default_webhook_url ?? "none: set DEFAULT_WEBHOOK_URL" }],
  ],
};

export const showNotificationConfig = defineCommand({
  name: "notifications config",
  summary: "Show through which channels alerts can be sent",
  description: "Shows through which channels alerts can be sent. Secrets are masked. The variables are in docs/configuration.md.",
  examples: [
    { command: "homesec notifications config", note: "what is configured, and what is missing" },
    { command: "homesec notifications config -o json --fields available_channels", note: "for a program" },
  ],
  prints: () => view,
  async run(_, io) {
    const config = await io.call("getNotificationConfig", {});
    await printRecord(io.output, config, view);
    return exitCodes.ok;
  },
});
