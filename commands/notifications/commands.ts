import { allRecipients, channels } from "../../src/contract/constants.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { unusableChannels } from "../../src/contract/unusable-channels.ts";
import type { Command } from "../command.ts";
import { recordCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { word } from "../input/arguments.ts";
import { list } from "../input/options.ts";
import type { Io } from "../io.ts";
import { fieldsOf, type View } from "../output/view.ts";

type NotificationConfig = ReplyOf<"getNotificationConfig">;

const configured = (isConfigured: boolean) =>
  isConfigured ? { text: "configured", paint: "green" as const } : { text: "not configured", paint: "yellow" as const };

/** The channels that can send alerts now; email needs a recipient. */
export function usableChannels({ available_channels: available, default_email_recipients: recipients }: NotificationConfig) {
  return available.filter((channel) => channel !== "email" || recipients.length > 0);
}

/**
 * Notes mail of rules and recipients that is not sent as homesec is configured, which would otherwise show at the first alert. Rules with
 * `push` or `webhook` are checked before they are saved.
 */
export async function noteUnusableChannels(io: Io, given: readonly string[] | null): Promise<void> {
  const words = (given ?? []).filter((word) => word !== "push" && word !== "webhook");
  if (words.length === 0) return;
  const config = await io.call("getNotificationConfig", {});
  const isPlain = words.every((name) => name.includes("@") || channels.some((neutral) => neutral === name));
  const { recipients } = isPlain ? { recipients: [] } : await io.call("listRecipients", {});
  const named = recipients.filter(({ name }) => words.some((word) => word === allRecipients || word.toLowerCase() === name.toLowerCase()));
  for (const sentence of unusableChannels([...words, ...named.flatMap((each) => each.channels)], config)) io.output.note(sentence);
}

const configView: View<NotificationConfig> = {
  plural: "configurations",
  fields: fieldsOf("getNotificationConfig"),
  id: ({ available_channels }) => available_channels.join(","),
  columns: [],
  details: (config) => [
    ["notifications", config.notification_enabled ? { text: "on", paint: "green" } : { text: "off", paint: "yellow" }],
    ["usable channels", { text: usableChannels(config).join(", ") || "none" }],
    ["email", configured(config.email_configured)],
    ["mail server", { text: config.smtp_host === null ? "none: set SMTP_HOST" : `${config.smtp_host}:${config.smtp_port}` }],
    ["sender", { text: config.smtp_from_address ?? "none: set SMTP_FROM_ADDRESS" }],
    ["recipients", { text: config.default_email_recipients.join(", ") || "none: set DEFAULT_EMAIL_RECIPIENTS" }],
    ["webhook", configured(config.webhook_configured)],
    ["webhook address", { text: config.default_webhook_url ?? "none: set DEFAULT_WEBHOOK_URL" }],
  ],
};

const testView: View<ReplyOf<"testNotification">> = {
  plural: "tests",
  fields: fieldsOf("testNotification"),
  id: (test) => test.channel,
  columns: [],
  details: (test) => [
    ["channel", { text: test.channel, paint: "bold" }],
    ["result", test.success ? { text: "sent", paint: "green" } : { text: "failed", paint: "red" }],
    ["message", { text: test.message }],
    ...(test.error === null ? [] : [["error", { text: test.error }] as const]),
  ],
};

export const commands: readonly Command[] = [
  recordCommand({
    name: "notifications config",
    summary: "Show the channels that can send alerts",
    description: "Shows the channels that can send alerts. Secrets are masked. docs/configuration.md describes the variables.",
    examples: [
      { command: "homesec notifications config", note: "what is configured and what is missing" },
      { command: "homesec notifications config -o json --fields available_channels", note: "the channels as JSON" },
    ],
    view: configView,
    record: (io) => io.call("getNotificationConfig", {}),
  }),
  recordCommand({
    name: "notifications test",
    summary: "Send a test message over a channel",
    description:
      "Sends a test message the way an alert is sent. If it succeeds, homesec also sends all messages that wait for the channel. Exits with 1 if it fails.",
    arguments: { channel: word(channels, "Channel") },
    options: { email_recipients: list("address", "Email recipients (default DEFAULT_EMAIL_RECIPIENTS)") },
    examples: [
      { command: "homesec notifications test email", note: "does mail arrive?" },
      { command: "homesec notifications test email --email-recipients me@example.org", note: "to one recipient" },
      { command: "homesec notifications test webhook", note: "does DEFAULT_WEBHOOK_URL answer?" },
    ],
    view: testView,
    record: (io, { arguments: { channel }, options }) => io.call("testNotification", { body: { channel, ...options } }),
    exitCode: ({ success }) => (success ? exitCodes.ok : exitCodes.failure),
  }),
];
