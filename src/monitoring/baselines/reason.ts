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

/** Describes an anomaly, such as `42 detections of person from 14:00 to 14:25; 12.3 are usual in this hour`. */
export function writeReason({ objectClass, count, usual, hour, until }: UnusualHour, timeZone: string): string {
  const what = `${count === 0 ? "no" : count} detection${count === 1 ? "" : "s"}${objectClass === null ? "" : ` of ${objectClass}`}`;
  const text = `${what} from ${clockTime(hour.start, timeZone)} to ${clockTime(until, timeZone)}; ${formatNumber(usual.mean)} are usual in this hour`;
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
