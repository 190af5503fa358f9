import type { z } from "zod";
import { AlertMetadata, type Alert as AlertRecord } from "../../contract/routes/alerts.ts";
import type { ChannelResult } from "../notifications/notification.ts";

/** An alert as clients see it. */
export type Alert = z.output<typeof AlertRecord>;

/** The columns of an alert, named as in its record; `alert_metadata` as it came out of jsonb. */
export type AlertRow = Omit<Alert, "alert_metadata"> & { readonly alert_metadata: unknown };

/** The record of a row. Throws a `ZodError` when the stored metadata are not what they should be. */
export function recordOf(row: AlertRow): Alert {
  return { ...row, alert_metadata: AlertMetadata.parse(row.alert_metadata) };
}

/** Why nobody will be told of an alert, as a sentence: none of its channels sent it and none will. Null while one may, or did. */
export function reasonPending(results: readonly ChannelResult[]): string | null {
  if (results.some(({ status }) => status === "waiting" || status === "sent")) return null;
  return results.map(({ channel, status, reason }) => `${channel}: ${reason ?? status}`).join("; ") || null;
}
