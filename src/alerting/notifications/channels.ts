import type { channels } from "../../contract/constants.ts";
import type { Config } from "../../platform/config/config.ts";

export type Channel = (typeof channels)[number];

/** Which channels can be used, and why the others cannot. */
export type ChannelAvailability = Readonly<
  Record<Channel, { readonly usable: true } | { readonly usable: false; readonly reason: string }>
>;

/** The part of the configuration that says which channels there are. */
export type ChannelConfig = Pick<
  Config,
  "notificationEnabled" | "smtpHost" | "smtpFromAddress" | "defaultEmailRecipients" | "defaultWebhookUrl"
>;

/** Says of each channel whether it can be used as homesec is configured. `push` never can: it is there for the interface only. */
export function channelAvailability(config: ChannelConfig): ChannelAvailability {
  const off = config.notificationEnabled ? undefined : "notifications are switched off (NOTIFICATION_ENABLED=false)";
  return {
    email: usableUnless(off ?? emailFault(config, config.defaultEmailRecipients)),
    webhook: usableUnless(off ?? (config.defaultWebhookUrl === undefined ? "it needs DEFAULT_WEBHOOK_URL" : undefined)),
    push: usableUnless(off ?? "push notifications are not available in this version"),
  };
}

/** What is missing for a mail to these recipients, in words; undefined when nothing is. */
export function emailFault(config: Pick<ChannelConfig, "smtpHost" | "smtpFromAddress">, recipients: readonly string[]): string | undefined {
  const missing = [
    ...(config.smtpHost === undefined ? ["SMTP_HOST"] : []),
    ...(config.smtpFromAddress === undefined ? ["SMTP_FROM_ADDRESS"] : []),
    ...(recipients.length === 0 ? ["DEFAULT_EMAIL_RECIPIENTS"] : []),
  ];
  return missing.length === 0 ? undefined : `it needs ${missing.join(" and ")}`;
}

function usableUnless(reason: string | undefined): { readonly usable: true } | { readonly usable: false; readonly reason: string } {
  return reason === undefined ? { usable: true } : { usable: false, reason };
}
