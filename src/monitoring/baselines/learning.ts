import { hourMs, minuteMs } from "../../base/clock/clock.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { reportAnomalies, unusualIn } from "./anomaly.ts";
import { type Known, knownSince, readKnown, usualIn } from "./known.ts";
import {
  type ClassCount,
  countHour,
  countRunningHour,
  deleteHoursBefore,
  isLive,
  storeActivity,
  storeClasses,
  wasLearned,
} from "./learning-repository.ts";
import { type LocalHour, localHourAt, minuteOf } from "./local-hour.ts";
import { type DueHour, dueHours, lockBaselinesOf, noteObserved, type ObservedHour, takeHour } from "./observed-hours-repository.ts";
import { clipped, type Learned, learn } from "./statistics.ts";

/** Time after the end of an hour for its last pictures to be processed. */
const graceMs = 2 * minuteMs;
/** Pictures that could not be processed for this long are no longer waited for: their hour is not learned. */
const longestWaitMs = 24 * hourMs;
/** A camera without a picture for this long counts as dead: its silence says nothing. */
const silentMs = 24 * hourMs;
/** Watched minutes that an hour needs to count: a restart or two must not disqualify it. */
const minutesNeeded = 54;
const hoursAtOnce = 100;

/** Records, at least once a minute, which cameras homesec is watching. */
export async function noteWatched(db: Database, now: Date, timeZone: string): Promise<void> {
  const hour = localHourAt(now, timeZone);
  const seenSince = new Date(now.getTime() - silentMs);
  await db.query((sql) => noteObserved(sql, { ...hour, minute: minuteOf(now, hour) }, seenSince));
}

/**
 * Learns from the hours that are over, oldest first, and stores and announces their anomalies. Each hour is learned once, regardless of
 * the number of callers. Hours that were not watched nearly all the time, or when the camera was deleted, are skipped. Returns how many
 * anomalies were announced. Stops between two hours when `signal` is aborted.
 */
export async function learnDueHours(db: Database, now: Date, timeZone: string, signal?: AbortSignal): Promise<number> {
  const endedBefore = new Date(now.getTime() - graceMs);
  const overdueBefore = new Date(now.getTime() - longestWaitMs);
  let announced = 0;
  for (;;) {
    const hours = await db.query((sql) => dueHours(sql, endedBefore, overdueBefore, hoursAtOnce));
    for (const hour of hours) {
      if (signal?.aborted) return announced;
      announced += await db.transaction((sql) => learnHour(sql, hour, { now, timeZone }));
    }
    if (hours.length < hoursAtOnce) return announced;
  }
}

interface Moment {
  readonly now: Date;
  readonly timeZone: string;
}

async function learnHour(sql: Sql, due: DueHour, { now, timeZone }: Moment): Promise<number> {
  const { cameraId } = due;
  await lockBaselinesOf(sql, cameraId);
  const observed = await takeHour(sql, due);
  if (!observed || due.waits || !isWhole(observed)) return 0;
  if (!(await isLive(sql, cameraId)) || (await wasLearned(sql, cameraId, observed.start))) return 0;
  const known = await readKnown(sql, cameraId, observed.end);
  const counts = new Map(
    (await countHour(sql, cameraId, observed.start, observed.end)).map(({ objectClass, count }) => [objectClass, count]),
  );
  const hour = localHourAt(observed.start, timeZone);
  // An outdated baseline of this hour starts again; others may seem outdated only because the clock is ahead, and are deleted by the
  // nightly cleanup.
  await deleteHoursBefore(sql, knownSince(known.config, observed.end), { cameraId, ...hour });
  const next = learnedFrom(known, hour, counts);
  await storeActivity(sql, cameraId, hour, next.activity, observed.start, now);
  await storeClasses(sql, cameraId, hour, next.classes, now);
  return await reportAnomalies(sql, unusualIn({ cameraId, hour, until: observed.end, isOver: true, counts }, known), now);
}

/** An hour is learned if it was watched nearly all the time and is a full hour: where clocks change by half an hour some are not. */
function isWhole({ start, end, minutes }: ObservedHour): boolean {
  return minutes >= minutesNeeded && end.getTime() - start.getTime() === hourMs;
}

/** Returns the baseline of an hour of the week after one more instance; with classes detected in it now or before. */
export function learnedFrom(
  known: Known,
  hour: Pick<LocalHour, "dayOfWeek" | "hour">,
  counts: ReadonlyMap<string, number>,
): { readonly activity: Learned; readonly classes: readonly (Learned & { readonly objectClass: string })[] } {
  const decay = known.config.global_config.decay_factor;
  const isHere = (each: Pick<LocalHour, "dayOfWeek" | "hour">) => each.dayOfWeek === hour.dayOfWeek && each.hour === hour.hour;
  const before = known.hours.find(isHere) ?? { mean: 0, variance: 0, samples: 0 };
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const classes = [...new Set([...known.classHours.keys(), ...counts.keys()])].toSorted();
  return {
    activity: learn(before, clipped(total, usualIn(known, hour, null)), decay),
    classes: classes.flatMap((objectClass) => {
      const ofClass = known.classHours.get(objectClass)?.find(isHere) ?? { mean: 0, variance: 0, samples: before.samples };
      const count = counts.get(objectClass) ?? 0;
      // Zero as always: not worth a row.
      if (count === 0 && ofClass.mean === 0) return [];
      const { mean, variance, samples } = learn(ofClass, clipped(count, usualIn(known, hour, objectClass)), decay);
      return [{ objectClass, mean, variance, samples }];
    }),
  };
}

/**
 * Checks the counts of the running hour, and stores and announces those that already exceed the whole hour. `seen` holds the counts of
 * the last check per camera; cameras without new detections are skipped. Returns how many anomalies were announced.
 */
export async function judgeRunningHour(db: Database, now: Date, timeZone: string, seen: Map<string, string>): Promise<number> {
  const hour = localHourAt(now, timeZone);
  const counted = byCamera(await db.query((sql) => countRunningHour(sql, hour.start, now)));
  let announced = 0;
  for (const [cameraId, counts] of counted) {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const state = `${hour.start.getTime()} ${total}`;
    if (seen.get(cameraId) === state) continue;
    announced += await db.transaction(async (sql) => {
      const known = await readKnown(sql, cameraId, now);
      return await reportAnomalies(sql, unusualIn({ cameraId, hour, until: now, isOver: false, counts }, known), now);
    });
    seen.set(cameraId, state);
  }
  return announced;
}

function byCamera(rows: readonly ClassCount[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const cameras = new Map<string, Map<string, number>>();
  for (const { cameraId, objectClass, count } of rows) {
    const counts = cameras.get(cameraId);
    if (counts) counts.set(objectClass, count);
    else cameras.set(cameraId, new Map([[objectClass, count]]));
  }
  return cameras;
}
