import { hourMs } from "../../base/clock/clock.ts";
import type { channels } from "../../contract/constants.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Sql } from "../../platform/database/database.ts";
import { hasPhones } from "./channels-repository.ts";

/** `email`, `webhook` (DEFAULT_WEBHOOK_URL) or `push` (every enabled channel to phones). */
export type ChannelName = (typeof channels)[number];

/** Which channels can be used, and why the others cannot. */
export type ChannelAvailability = Readonly<Record<ChannelName, Usable>> & {
  /** Mail to an address that a recipient has. Absent: as `email`. */
  readonly address?: Usable;
};
type Usable = { readonly usable: true } | { readonly usable: false; readonly reason: string };

/** The configuration of the channels. */
export type ChannelConfig = Pick<
  Config,
  "notificationEnabled" | "smtpHost" | "smtpFromAddress" | "defaultEmailRecipients" | "defaultWebhookUrl"
>;

/** Why `push` sends nothing although notifications are on. */
export const noPhones = "no channel to phones is enabled; add one with homesec channels add";

/**
 * Returns for each channel whether the configuration lets it be used, and why not. The channels to phones are in the database:
 * `availabilityWithPhones` knows them too.
 */
export function channelAvailability(config: ChannelConfig): ChannelAvailability {
  const off = config.notificationEnabled ? undefined : "notifications are switched off (NOTIFICATION_ENABLED=false)";
  return {
    email: usableUnless(off ?? emailFault(config, config.defaultEmailRecipients)),
    webhook: usableUnless(off ?? (config.defaultWebhookUrl === undefined ? "it needs DEFAULT_WEBHOOK_URL" : undefined)),
    push: usableUnless(off),
    address: usableUnless(off ?? emailFault(config, ["an address"])),
  };
}

/** The same with the channels to phones: without an enabled one, `push` sends nothing. */
export async function availabilityWithPhones(sql: Sql, config: ChannelConfig): Promise<ChannelAvailability> {
  const available = channelAvailability(config);
  if (!available.push.usable || (await hasPhones(sql))) return available;
  return { ...available, push: usableUnless(noPhones) };
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

function usableUnless(reason: string | undefined): Usable {
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
