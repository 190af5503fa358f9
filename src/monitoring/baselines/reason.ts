import type { LocalHour } from "./local-hour.ts";
import type { Usual } from "./statistics.ts";

/** An hour that is not as usual, as `writeReason` needs it. */
export interface UnusualHour {
  readonly objectClass: string | null;
  readonly count: number;
  readonly usual: Usual;
  readonly hour: LocalHour;
  /** Up to when it was counted; the end of the hour when it is over. */
  readonly until: Date;
}

/** Says what was unusual, as `42 detections of person from 14:00 to 14:25; 12.3 are usual in this hour`. */
export function writeReason({ objectClass, count, usual, hour, until }: UnusualHour, timeZone: string): string {
  const what = `${count === 0 ? "no" : count} detection${count === 1 ? "" : "s"}${objectClass === null ? "" : ` of ${objectClass}`}`;
  const text = `${what} from ${clockTime(hour.start, timeZone)} to ${clockTime(until, timeZone)}; ${formatNumber(usual.mean)} are usual in this hour`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A time as the clock on the wall shows it, as `14:25`. */
export function clockTime(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, hourCycle: "h23", hour: "2-digit", minute: "2-digit" }).format(at);
}

/** A number for people: three digits behind the point at most below 1, else one. */
export function formatNumber(value: number): string {
  const digits = value < 1 ? 1000 : 10;
  return String(Math.round(value * digits) / digits);
}
