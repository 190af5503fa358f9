import { minuteMs } from "../../base/clock/clock.ts";
import type { LocalHour } from "./local-hour.ts";
import type { Usual } from "./statistics.ts";

/** An unusual hour, as input of `writeReason`. */
export interface UnusualHour {
  readonly objectClass: string | null;
  readonly count: number;
  readonly usual: Usual;
  readonly hour: LocalHour;
  /** End of the counted part; the end of the hour if it is over. */
  readonly until: Date;
}

/**
 * Describes an anomaly, such as `42 detections of person in the first 25 minutes of the hour; 12.3 are usual in the whole hour`. It names
 * no time of day, because readers may be in other time zones.
 */
export function writeReason({ objectClass, count, usual, hour, until }: UnusualHour): string {
  const what = `${count === 0 ? "no" : count} detection${count === 1 ? "" : "s"}${objectClass === null ? "" : ` of ${objectClass}`}`;
  const minutes = Math.max(1, Math.round((until.getTime() - hour.start.getTime()) / minuteMs));
  const isOver = until.getTime() >= hour.end.getTime();
  const part = isOver ? "in the hour" : `in the first ${minutes === 1 ? "minute" : `${minutes} minutes`} of the hour`;
  const text = `${what} ${part}; ${formatNumber(usual.mean)} are usual${isOver ? "" : " in the whole hour"}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats a wall-clock time, such as `14:25`. */
export function clockTime(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, hourCycle: "h23", hour: "2-digit", minute: "2-digit" }).format(at);
}

/** Formats a number for people: at most three decimals below 1, else one. */
export function formatNumber(value: number): string {
  const digits = value < 1 ? 1000 : 10;
  return String(Math.round(value * digits) / digits);
}
