import { dayMs } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { BaselineConfig, ClassHourBaseline } from "./baseline.ts";
import { baselineConfigOf } from "./baseline-config.ts";
import { activityOf, classesOf, findBaselineConfig } from "./baselines-repository.ts";
import type { LocalHour } from "./local-hour.ts";
import { type HourBaseline, type Limits, type Usual, usualOf } from "./statistics.ts";

/** The complete baseline of a camera, and its limits. */
export interface Known {
  readonly config: BaselineConfig;
  readonly hours: readonly HourBaseline[];
  readonly classHours: ReadonlyMap<string, readonly ClassHourBaseline[]>;
}

/** Reads the baseline of a camera; hours that were not learned for `window_days` are left out. */
export async function readKnown(sql: Sql, cameraId: string, now: Date): Promise<Known> {
  const config = baselineConfigOf(await findBaselineConfig(sql, cameraId));
  const since = knownSince(config, now);
  const [hours, classes] = await Promise.all([activityOf(sql, cameraId, since), classesOf(sql, cameraId, since)]);
  return { config, hours, classHours: byClass(classes) };
}

/** Groups hours by class, in the given order. */
function byClass(hours: readonly ClassHourBaseline[]): ReadonlyMap<string, readonly ClassHourBaseline[]> {
  const groups = new Map<string, ClassHourBaseline[]>();
  for (const hour of hours) {
    const group = groups.get(hour.objectClass);
    if (group) group.push(hour);
    else groups.set(hour.objectClass, [hour]);
  }
  return groups;
}

/** Hours that were last learned before this time are outdated. */
export function knownSince({ global_config }: Pick<BaselineConfig, "global_config">, now: Date): Date {
  return new Date(now.getTime() - global_config.window_days * dayMs);
}

/**
 * Returns the baseline of an hour: of all detections, or of a class. A class that was never detected has a count of zero in all known
 * hours.
 */
export function usualIn(known: Known, at: Pick<LocalHour, "dayOfWeek" | "hour">, objectClass: string | null): Usual | undefined {
  if (objectClass === null) return usualOf(known.hours, at, limitsOf(known));
  const hours = known.classHours.get(objectClass) ?? known.hours.map((hour) => ({ ...hour, mean: 0, variance: 0 }));
  return usualOf(hours, at, limitsOf(known));
}

function limitsOf({ config }: Known): Limits {
  return { decayFactor: config.global_config.decay_factor, minSamples: config.min_samples };
}
