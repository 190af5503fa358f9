import type { z } from "zod";
import type { ChannelResult as ChannelResultRecord } from "../../contract/routes/alerts.ts";

/** What a notification says of an alert: that it was raised, what was held back under its cooldown, or that the incident it told of is over. */
export type NotificationKind = "alert" | "digest" | "end";

/** What a notification is about: an alert, or the end of a silence and what it hid. */
export type About =
  | { readonly kind: NotificationKind; readonly alertId: string; readonly silenceId?: undefined }
  | { readonly kind: "silence"; readonly silenceId: string; readonly alertId?: undefined };

/** How far a channel got with an alert, as clients see it. */
export type ChannelResult = z.output<typeof ChannelResultRecord>;
