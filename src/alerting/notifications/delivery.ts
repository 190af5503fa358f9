import { hourMs } from "../../base/clock/durations.ts";
import type { ChannelAvailability } from "./channels.ts";

/** How alerts and digests get to people. */
export interface Delivery {
  readonly availability: ChannelAvailability;
  /** What could not be sent for so long is given up. */
  readonly expiryHours: number;
}

/** Until when something raised now may wait to be sent. */
export function expiryOf({ expiryHours }: Pick<Delivery, "expiryHours">, now: Date): Date {
  return new Date(now.getTime() + expiryHours * hourMs);
}
