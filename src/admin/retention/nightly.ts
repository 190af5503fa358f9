import { dayMs } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";
import { firstNoted, forgetChore, noteChore, noteNext, takeChore, whenNoted } from "./chores-repository.ts";

/** Hour of the day, local time, when old data is deleted. */
const cleanupHour = 3;

/** Returns the last due time of the cleanup at or before `now`. */
export function lastDue(now: Date): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), cleanupHour);
  return today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, cleanupHour);
}

/** Returns the next due time of the cleanup after `now`. */
export function nextDue(now: Date): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), cleanupHour);
  return today > now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, cleanupHour);
}

const chore = "cleanup";
/** Since when the cleanup is on hold. */
const hold = "cleanup_held";
/** When it was last found on hold. */
const lastHeld = "cleanup_held_looked";
/** When the clock last jumped while homesec was running. */
const clockJump = "clock_jumped";
/**
 * If the last run is longer ago, either homesec was off or the clock has jumped; the two look the same. A jump is a step of more than
 * this.
 */
export const gapMs = 7 * dayMs;
/** How long homesec runs, so that a wrong clock can be noticed, before it deletes everything that seems old. */
const heldForMs = 7 * dayMs;

/** Tonight's cleanup: due, on hold, or (both fields absent) not due. */
export interface NightlyCleanup {
  /** When it was last done; the caller must do it now. */
  readonly lastRunAt?: Date;
  readonly heldUntil?: Date;
}

/** Claims tonight's cleanup if it is due and not on hold, so that one of several processes does it. Must run in a transaction. */
export async function takeCleanup(sql: Sql, now: Date): Promise<NightlyCleanup> {
  const lastRunAt = await takeChore(sql, chore, lastDue(now), now);
  if (lastRunAt === undefined) {
    await forgetChore(sql, hold);
    await forgetChore(sql, lastHeld);
    return {};
  }
  const jumpedAt = await whenNoted(sql, clockJump);
  // Data stored while the clock was wrong seems old once the clock is right, whenever the last run was.
  const hasJumped = jumpedAt !== undefined && Math.abs(now.getTime() - jumpedAt.getTime()) < heldForMs;
  if (now.getTime() - lastRunAt.getTime() <= gapMs && !hasJumped) return { lastRunAt };
  // homesec was off, or the clock jumped unnoticed: neither shows how long the wrong clock could be noticed.
  const lastHeldAt = await noteNext(sql, lastHeld, now);
  if (lastHeldAt === undefined || now.getTime() - lastHeldAt.getTime() > gapMs) await forgetChore(sql, hold);
  // A clock that was set back by a part of its jump counts as a new jump.
  const heldUntil = new Date((await firstNoted(sql, hold, now)).getTime() + heldForMs);
  if (now >= heldUntil) return { lastRunAt };
  await noteChore(sql, chore, lastRunAt);
  return { heldUntil };
}

/** Releases a cleanup that did not finish. */
export async function giveCleanupBack(sql: Sql, lastRunAt: Date): Promise<void> {
  await noteChore(sql, chore, lastRunAt);
}

/** Records that the clock was set by more than `gapMs` and shows `now`. The waiting time starts here. Must run in a transaction. */
export async function noteJump(sql: Sql, now: Date): Promise<void> {
  await forgetChore(sql, hold);
  await forgetChore(sql, lastHeld);
  await noteNext(sql, clockJump, now);
}

/** Records that a person started a cleanup, and thereby confirmed the clock. */
export async function noteCleanup(sql: Sql, now: Date): Promise<void> {
  await forgetChore(sql, clockJump);
  await noteChore(sql, chore, now);
}

/** Returns when any process last deleted old data; undefined before the first cleanup. */
export async function lastCleanup(sql: Sql): Promise<Date | undefined> {
  return await whenNoted(sql, chore);
}
