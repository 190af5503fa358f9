import type { z } from "zod";
import type { ChannelResult as ChannelResultRecord } from "../../contract/routes/alerts.ts";

/** The kinds of notification about an alert: it was raised (`alert`), its cooldown held events back (`digest`), its incident is over (`end`), the
 * visit of an immediate alert is over and judged (`update`), or no one has acknowledged it (`repeat`). */
export type NotificationKind = "alert" | "digest" | "end" | "update" | "repeat";

interface NoSubject {
  readonly alertId?: undefined;
  readonly silenceId?: undefined;
  readonly summaryDay?: undefined;
  readonly catchUpId?: undefined;
  readonly round?: undefined;
}

/** The subject of a notification: an alert, a silence that has ended, a day, or what was held back outside of a recipient's hours. */
export type About =
  /** `round` counts the repeats. */
  | (Omit<NoSubject, "alertId" | "round"> & { readonly kind: NotificationKind; readonly alertId: string; readonly round?: number })
  | (Omit<NoSubject, "silenceId"> & { readonly kind: "silence"; readonly silenceId: string })
  /** `summaryDay`: the local day on which the summary is due. */
  | (Omit<NoSubject, "summaryDay"> & { readonly kind: "summary"; readonly summaryDay: string })
  | (Omit<NoSubject, "catchUpId"> & { readonly kind: "catch_up"; readonly catchUpId: string });

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

/** A notification about one of these. */
export type Notification = Progress & {
  readonly id: string;
  /** `email`, `webhook`, `push`, the name that the channel had when it was queued, or a mail address. */
  readonly channel: string;
  /** The channel to phones; null for the neutral names and for addresses. */
  readonly channelId: string | null;
  /** The recipient whose hours hold; null: the rule names the channel itself. */
  readonly recipientId: string | null;
  /** Counts the repeats of an alert. */
  readonly round: number;
  /** Null when no attempt follows. */
  readonly nextAttemptAt: Date | null;
  /** The event and the batch it was made of, for the log. */
  readonly eventId: number | null;
  readonly trace: string | null;
} & (
    | {
        readonly kind: NotificationKind;
        readonly alertId: string;
        readonly silenceId: null;
        readonly summaryDay: null;
        readonly catchUpId: null;
      }
    | { readonly kind: "silence"; readonly alertId: null; readonly silenceId: string; readonly summaryDay: null; readonly catchUpId: null }
    | { readonly kind: "summary"; readonly alertId: null; readonly silenceId: null; readonly summaryDay: string; readonly catchUpId: null }
    | { readonly kind: "catch_up"; readonly alertId: null; readonly silenceId: null; readonly summaryDay: null; readonly catchUpId: string }
  );

/** Whether something is still to be sent: to everyone, or to the recipients that a mail did not reach. */
export function isOpen({ status, unreached }: Pick<Progress, "status" | "unreached">): boolean {
  return status === "waiting" || (status === "sent" && unreached !== null);
}
