import { hourMs } from "../../base/clock/clock.ts";
import type { channels } from "../../contract/constants.ts";
import type { Config } from "../../platform/config/config.ts";

/** `email`, `webhook` (DEFAULT_WEBHOOK_URL) or `push` (not in this version). */
export type ChannelName = (typeof channels)[number];

/** Which channels can be used, and why the others cannot. */
export type ChannelAvailability = Readonly<
  Record<ChannelName, { readonly usable: true } | { readonly usable: false; readonly reason: string }>
>;

/** The configuration of the channels. */
export type ChannelConfig = Pick<
  Config,
  "notificationEnabled" | "smtpHost" | "smtpFromAddress" | "defaultEmailRecipients" | "defaultWebhookUrl"
>;

/** Returns for each channel whether it can be used with this configuration, and why not. `push` never can: only the interface knows it. */
export function channelAvailability(config: ChannelConfig): ChannelAvailability {
  const off = config.notificationEnabled ? undefined : "notifications are switched off (NOTIFICATION_ENABLED=false)";
  return {
    email: usableUnless(off ?? emailFault(config, config.defaultEmailRecipients)),
    webhook: usableUnless(off ?? (config.defaultWebhookUrl === undefined ? "it needs DEFAULT_WEBHOOK_URL" : undefined)),
    push: usableUnless(off ?? "push notifications are not available in this version"),
  };
}

/** Names the settings that are missing to send a mail to these recipients; undefined when none is. */
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

/** The usable channels, and for how long homesec retries notifications. */
export interface NotificationSettings {
  readonly availability: ChannelAvailability;
  readonly expiryHours: number;
}

/** Returns until when homesec retries a notification that is queued now. */
export function expiryOf({ expiryHours }: Pick<NotificationSettings, "expiryHours">, now: Date): Date {
  return new Date(now.getTime() + expiryHours * hourMs);
}
