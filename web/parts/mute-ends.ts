import { dayMs, hourMs } from "../../src/base/clock/clock.ts";
import { offsetIn, wallClock } from "../../src/base/clock/time-zone.ts";
import { longestSilenceSeconds } from "../../src/contract/constants.ts";

/** When a silence ends: after some hours, in the morning, or when someone ends it. */
export type MuteEnd = { readonly kind: "hours"; readonly hours: number } | { readonly kind: "morning" } | { readonly kind: "ended" };

/** The hour at which a morning begins. */
const morningHour = 7;

/** Returns the next morning in a time zone, and whether that is today. A morning that comes within the hour is passed over. */
export function nextMorning(now: Date, zone: string): { readonly at: Date; readonly isToday: boolean } {
  const today = wallClock(zone).dayAt(now.getTime());
  const morningOf = (day: number): Date => instantShown(day * dayMs + morningHour * hourMs, zone);
  const at = morningOf(today);
  return at.getTime() - now.getTime() >= hourMs ? { at, isToday: true } : { at: morningOf(today + 1), isToday: false };
}

/** Returns the end of a silence that begins now. homesec allows 30 days; a minute less leaves room for the way there. */
export function muteEndAt(end: MuteEnd, now: Date, zone: string): Date {
  if (end.kind === "hours") return new Date(now.getTime() + end.hours * hourMs);
  if (end.kind === "morning") return nextMorning(now, zone).at;
  return new Date(now.getTime() + longestSilenceSeconds * 1000 - 60_000);
}

/** Returns the instant when the clock of a zone shows a time such as `2026-01-31T22:15`; undefined for other text. */
export function instantAt(shown: string, zone: string): Date | undefined {
  const inUtc = Date.parse(`${shown}Z`);
  return Number.isNaN(inUtc) ? undefined : instantShown(inUtc, zone);
}

/** Returns the instant when the clock of a zone shows what the clock of UTC shows at another one. */
function instantShown(inUtc: number, zone: string): Date {
  const offset = offsetIn(zone);
  // the offset there, found by way of a guess that is at most a change of the clock away
  return new Date(inUtc - offset(inUtc - offset(inUtc)));
}
