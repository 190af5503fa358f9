import type { z } from "zod";
import type { NotificationConfig } from "./routes/notifications.ts";

type Config = Pick<
  z.output<typeof NotificationConfig>,
  "notification_enabled" | "webhook_configured" | "push_configured" | "smtp_host" | "smtp_from_address" | "default_email_recipients"
>;

/**
 * Says, in a sentence each, which of these channels of a rule or a recipient send nothing with this configuration, and what to set. A mail
 * address is a channel; names of phones and webhooks are left out.
 */
export function unusableChannels(words: readonly string[], config: Config): readonly string[] {
  const mails = [...new Set(words.filter((word) => word === "email" || word.includes("@")))];
  if (!config.notification_enabled) return words.length === 0 ? [] : ["No channel sends anything while NOTIFICATION_ENABLED is false"];
  return [
    ...(mails.length === 0 ? [] : mailFaults(mails, config)),
    ...(words.includes("push") && !config.push_configured ? [noPhones] : []),
    ...(words.includes("webhook") && !config.webhook_configured ? [noAddress] : []),
  ];
}

const noPhones = "the channel push sends nothing yet; add a channel to phones: homesec channels add";
/** The name `webhook` misleads: it posts to its own address, not to the webhooks of `homesec webhooks`. */
const noAddress = "the channel webhook needs DEFAULT_WEBHOOK_URL; name a webhook of `homesec webhooks` by its own name";

function mailFaults(mails: readonly string[], config: Config): readonly string[] {
  if (config.smtp_host === null) {
    return [`Nothing goes to ${mails.join(", ")} without a mail server. To set one up: homesec setup, or SMTP_HOST and SMTP_FROM_ADDRESS`];
  }
  if (config.smtp_from_address === null) return [`Nothing goes to ${mails.join(", ")} until you set SMTP_FROM_ADDRESS`];
  if (!mails.includes("email") || config.default_email_recipients.length > 0) return [];
  return ["The channel email sends nothing until you set DEFAULT_EMAIL_RECIPIENTS"];
}
