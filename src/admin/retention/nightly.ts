import { dayMs } from "../../base/clock/durations.ts";
import type { Sql } from "../../platform/database/database.ts";
import { firstNoted, forgetChore, noteChore, noteNext, takeChore, whenNoted } from "./chores-repository.ts";
import { lastDue } from "./schedule.ts";

const chore = "cleanup";
/** Since when the chore is held. */
const hold = "cleanup_held";
/** When it was last found held. */
const looked = "cleanup_held_looked";
/** When the clock last jumped while homesec ran. */
const jumped = "clock_jumped";
/** When the last run is longer ago, homesec was off for long, or the clock has jumped: nobody can tell which. A jump is a step of more than this. */
export const gapMs = 7 * dayMs;
/** So long homesec runs, and a person has to see that the clock is wrong, before all that seems to be old is deleted. */
const heldForMs = 7 * dayMs;

/** The cleanup of this night: to be done, held, or, when both are absent, not due. */
export interface NightlyCleanup {
  /** When it was last done; it is to be done now, by who asked. */
  readonly lastRunAt?: Date;
  readonly heldUntil?: Date;
}

/** Takes the cleanup of this night, if it is due and not held, so that of several processes one does it. Has to run in a transaction. */
export async function takeCleanup(sql: Sql, now: Date): Promise<NightlyCleanup> {
  const lastRunAt = await takeChore(sql, chore, lastDue(now), now);
  if (lastRunAt === undefined) {
    await forgetChore(sql, hold);
    await forgetChore(sql, looked);
    return {};
  }
  const jumpedAt = await whenNoted(sql, jumped);
  // what came while the clock was wrong seems to be old as soon as it is right, whenever the last run was
  const hasJumped = jumpedAt !== undefined && Math.abs(now.getTime() - jumpedAt.getTime()) < heldForMs;
  if (now.getTime() - lastRunAt.getTime() <= gapMs && !hasJumped) return { lastRunAt };
  // homesec was off, or the clock has jumped unseen: either says nothing of how long a person had
  const lookedAt = await noteNext(sql, looked, now);
  if (lookedAt === undefined || now.getTime() - lookedAt.getTime() > gapMs) await forgetChore(sql, hold);
  // a clock that was set back by a part of its jump is a new one to see
  const heldUntil = new Date((await firstNoted(sql, hold, now)).getTime() + heldForMs);
  if (now >= heldUntil) return { lastRunAt };
  await noteChore(sql, chore, lastRunAt);
  return { heldUntil };
}

/** Gives a cleanup back that came to no end. */
export async function giveCleanupBack(sql: Sql, lastRunAt: Date): Promise<void> {
  await noteChore(sql, chore, lastRunAt);
}

/** Notes that the clock was set by more than `gapMs` and shows `now`. From now on a person has time to see it. Has to run in a transaction. */
export async function noteJump(sql: Sql, now: Date): Promise<void> {
  await forgetChore(sql, hold);
  await forgetChore(sql, looked);
  await noteNext(sql, jumped, now);
}

/** Notes that a person had old data deleted, and so finds the clock right. */
export async function noteCleanup(sql: Sql, now: Date): Promise<void> {
  await forgetChore(sql, jumped);
  await noteChore(sql, chore, now);
}

/** When old data was last deleted, by whichever process; undefined before the first time that one looked. */
export async function lastCleanup(sql: Sql): Promise<Date | undefined> {
  return await whenNoted(sql, chore);
}
