import { hourMs, minuteMs } from "../../base/clock/durations.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { tellAnomalies, unusualIn } from "./anomaly.ts";
import { type Known, knownSince, readKnown, usualIn } from "./known.ts";
import {
  type ClassCount,
  countHour,
  countRunningHour,
  forgetHoursBefore,
  isLive,
  storeActivity,
  storeClasses,
  wasLearned,
} from "./learning-repository.ts";
import { type LocalHour, localHourAt, minuteOf } from "./local-hour.ts";
import { type DueHour, dueHours, lockBaselinesOf, noteObserved, type ObservedHour, takeHour } from "./observed-hours-repository.ts";
import { clipped, type Learned, learn } from "./statistics.ts";

/** After its end an hour gets so long for its last pictures to be looked at. */
const graceMs = 2 * minuteMs;
/** Pictures that nobody could look at for so long are not waited for: their hour is not learned. */
const patienceMs = 24 * hourMs;
/** A camera without a picture for so long counts as dead: what it does not send says nothing. */
const silentMs = 24 * hourMs;
/** Minutes of an hour that must have been watched for it to count: a restart or two must not cost it. */
const minutesNeeded = 54;
const hoursAtOnce = 100;

/** Notes, once a minute at least, which cameras homesec is there to watch now. */
export async function noteWatched(db: Database, now: Date, timeZone: string): Promise<void> {
  const hour = localHourAt(now, timeZone);
  const seenSince = new Date(now.getTime() - silentMs);
  await db.query((sql) => noteObserved(sql, { ...hour, minute: minuteOf(now, hour) }, seenSince));
}

/**
 * Learns from the hours that are over, oldest first, and stores and tells what was unusual in them. Each hour is learned once,
 * whoever asks and however often. Hours that were not watched nearly all the time, or that the camera spent deleted, are
 * passed over. Returns how many anomalies were told. Ends early, between two hours, when `signal` fires.
 */
export async function learnDueHours(db: Database, now: Date, timeZone: string, signal?: AbortSignal): Promise<number> {
  const endedBefore = new Date(now.getTime() - graceMs);
  const patience = new Date(now.getTime() - patienceMs);
  let told = 0;
  for (;;) {
    const hours = await db.query((sql) => dueHours(sql, endedBefore, patience, hoursAtOnce));
    for (const hour of hours) {
      if (signal?.aborted) return told;
      told += await db.transaction((sql) => learnHour(sql, hour, { now, timeZone }));
    }
    if (hours.length < hoursAtOnce) return told;
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
  // what is not known any more of this hour begins anew; others may be too old by a clock that is ahead only, and go with the nightly cleanup
  await forgetHoursBefore(sql, knownSince(known.config, observed.end), { cameraId, ...hour });
  const next = learnedFrom(known, hour, counts);
  await storeActivity(sql, cameraId, hour, next.activity, observed.start, now);
  await storeClasses(sql, cameraId, hour, next.classes, now);
  return await tellAnomalies(sql, unusualIn({ cameraId, hour, until: observed.end, isOver: true, counts }, known, timeZone), now);
}

/** An hour is learned when it was watched nearly all the time, and is one: where clocks are set by half an hour some are not. */
function isWhole({ start, end, minutes }: ObservedHour): boolean {
  return minutes >= minutesNeeded && end.getTime() - start.getTime() === hourMs;
}

/** What is known of an hour of the week after one more of them; of classes that were seen in it now or before. */
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
      // nothing, as always: not worth a row
      if (count === 0 && ofClass.mean === 0) return [];
      const { mean, variance, samples } = learn(ofClass, clipped(count, usualIn(known, hour, objectClass)), decay);
      return [{ objectClass, mean, variance, samples }];
    }),
  };
}

/**
 * Looks at what was counted in the running hour so far, and stores and tells what is too much already for the whole hour.
 * `seen` holds for each camera what was counted at the last look; cameras without anything new are passed over. Returns how
 * many anomalies were told.
 */
export async function judgeRunningHour(db: Database, now: Date, timeZone: string, seen: Map<string, string>): Promise<number> {
  const hour = localHourAt(now, timeZone);
  const counted = byCamera(await db.query((sql) => countRunningHour(sql, hour.start, now)));
  let told = 0;
  for (const [cameraId, counts] of counted) {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const state = `${hour.start.getTime()} ${total}`;
    if (seen.get(cameraId) === state) continue;
    told += await db.transaction(async (sql) => {
      const known = await readKnown(sql, cameraId, now);
      return await tellAnomalies(sql, unusualIn({ cameraId, hour, until: now, isOver: false, counts }, known, timeZone), now);
    });
    seen.set(cameraId, state);
  }
  return told;
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
