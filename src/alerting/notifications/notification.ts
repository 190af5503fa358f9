import type { z } from "zod";
import type { ChannelResult as ChannelResultRecord } from "../../contract/routes/alerts.ts";

/** The kinds of notification about an alert: it was raised (`alert`), its cooldown held events back (`digest`), its incident is over (`end`), or the
 * visit of an immediate alert is over and judged (`update`). */
export type NotificationKind = "alert" | "digest" | "end" | "update";

/** The subject of a notification: an alert, a silence that has ended, or a day. */
export type About =
  | { readonly kind: NotificationKind; readonly alertId: string; readonly silenceId?: undefined; readonly summaryDay?: undefined }
  | { readonly kind: "silence"; readonly silenceId: string; readonly alertId?: undefined; readonly summaryDay?: undefined }
  /** `summaryDay`: the local day on which the summary is due. */
  | { readonly kind: "summary"; readonly summaryDay: string; readonly alertId?: undefined; readonly silenceId?: undefined };

/** How far a channel got with an alert, as clients see it. */
export type ChannelResult = z.output<typeof ChannelResultRecord>;

/** The stored state of a notification that its next state depends on; `next-state.ts` explains the states. */
export interface Progress {
  readonly status: "waiting" | "sent" | "failed" | "expired" | "cancelled" | "unusable";
  readonly reason: string | null;
  /** Attempts that came to an outcome. */
  readonly attempts: number;
  /** Recipients of a mail that still have to get it; null: all of them, or none once it is sent. */
  readonly unreached: readonly string[] | null;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly late: boolean;
}

/** A notification about an alert, a silence that has ended, or a day. */
export type Notification = Progress & {
  readonly id: string;
  /** `email`, `webhook`, `push`, or the name that the channel had when it was queued. */
  readonly channel: string;
  /** The channel to phones; null for the neutral names. */
  readonly channelId: string | null;
  /** Null when no attempt follows. */
  readonly nextAttemptAt: Date | null;
  /** The event and the batch it was made of, for the log. */
  readonly eventId: number | null;
  readonly trace: string | null;
} & (
    | { readonly kind: NotificationKind; readonly alertId: string; readonly silenceId: null; readonly summaryDay: null }
    | { readonly kind: "silence"; readonly alertId: null; readonly silenceId: string; readonly summaryDay: null }
    | { readonly kind: "summary"; readonly alertId: null; readonly silenceId: null; readonly summaryDay: string }
  );

/** Whether something is still to be sent: to everyone, or to the recipients that a mail did not reach. */
export function isOpen({ status, unreached }: Pick<Progress, "status" | "unreached">): boolean {
  return status === "waiting" || (status === "sent" && unreached !== null);
}
