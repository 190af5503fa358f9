import { webhooksForAlerts } from "../src/admin/doctor/doctor-repository.ts";
import { channelAvailability } from "../src/alerting/channels/availability.ts";
import { hasPhones } from "../src/alerting/channels/channels-repository.ts";
import type { Config } from "../src/platform/config/config.ts";
import type { Database } from "../src/platform/database/database.ts";

/**
 * Returns one sentence on how to get the first alert, with the commands of `how`. Undefined if mail, DEFAULT_WEBHOOK_URL, a phone or a
 * webhook gets alerts, or if NOTIFICATION_ENABLED=false says that no one wants any.
 */
export async function firstAlertHint(config: Config, db: Database, how: string): Promise<string | undefined> {
  const { email, webhook } = channelAvailability(config);
  if (!config.notificationEnabled || email.usable || webhook.usable) return undefined;
  try {
    if ((await db.query(hasPhones)) || (await db.query(webhooksForAlerts)).length > 0) return undefined;
  } catch {
    // The hint is not worth a failed start
    return undefined;
  }
  return `No mail, chat or phone gets your alerts yet. To get the first one: ${how}`;
}
