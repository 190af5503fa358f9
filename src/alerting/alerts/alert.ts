import type { z } from "zod";
import { AlertMetadata, type Alert as AlertRecord } from "../../contract/routes/alerts.ts";
import type { ChannelResult } from "../notifications/notification.ts";

/** An alert as clients see it. */
export type Alert = z.output<typeof AlertRecord>;

/** The columns of an alert, named as in its record, with `alert_metadata` as stored in jsonb. */
export type AlertRow = Omit<Alert, "alert_metadata"> & { readonly alert_metadata: unknown };

/** Converts a row to its record. Throws a `ZodError` if the stored metadata is invalid. */
export function recordOf(row: AlertRow): Alert {
  // Alerts of older versions have no `late_seconds`
  return { ...row, alert_metadata: AlertMetadata.parse({ late_seconds: null, ...(row.alert_metadata as object) }) };
}

/**
 * Explains in a sentence why no recipient will be notified of an alert now: none of its channels has sent it, and none will. `withheld`
 * says why recipients get no message. Null while a channel still may send it, or has.
 */
export function reasonPending(results: readonly ChannelResult[], withheld: string | null = null): string | null {
  if (results.some(({ status }) => status === "waiting" || status === "sent")) return null;
  const reasons = results.map(({ channel, status, reason }) => `${channel}: ${reason ?? status}`);
  return [...reasons, ...(withheld === null ? [] : [withheld])].join("; ") || null;
}
