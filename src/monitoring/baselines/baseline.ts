import type { z } from "zod";
import { weekdays } from "../../base/clock/calendar.ts";
import type { deviations } from "../../contract/constants.ts";
import type {
  ActivityBaseline as ActivityBaselineRecord,
  Anomaly as AnomalyRecord,
  BaselineConfig as BaselineConfigRecord,
  Baseline as BaselineRecord,
  ClassBaseline as ClassBaselineRecord,
} from "../../contract/routes/baselines.ts";
import { formatNumber } from "./reason.ts";
import { type HourBaseline, pooled, rounded, scoreOf, type Usual } from "./statistics.ts";

/** The records as clients see them. */
export type Baseline = z.output<typeof BaselineRecord>;
export type ActivityBaseline = z.output<typeof ActivityBaselineRecord>;
export type ClassBaseline = z.output<typeof ClassBaselineRecord>;
export type BaselineConfig = z.output<typeof BaselineConfigRecord>;
export type Anomaly = z.output<typeof AnomalyRecord>;
type Deviation = (typeof deviations)[number];

/** The baseline of an hour of the week for one class. */
export interface ClassHourBaseline extends HourBaseline {
  readonly objectClass: string;
}

/** By hour of the day, over all weekdays. */
export function hourlyPatterns(hours: readonly HourBaseline[]): Baseline["hourly_patterns"] {
  return Object.fromEntries(
    [...groupBy(hours, (hour) => hour.hour)]
      .toSorted(([a], [b]) => a - b)
      .map(([hour, group]) => {
        const { mean, variance, samples } = pooled(group);
        return [String(hour), { avg_detections: rounded(mean), std_dev: rounded(Math.sqrt(variance)), sample_count: samples }];
      }),
  );
}

/** By weekday, over all hours. */
export function dailyPatterns(hours: readonly HourBaseline[]): Baseline["daily_patterns"] {
  return Object.fromEntries(
    [...groupBy(hours, (hour) => hour.dayOfWeek)]
      .toSorted(([a], [b]) => a - b)
      .map(([day, group]) => {
        const { mean, samples } = pooled(group);
        return [
          weekdays[day] ?? "",
          { avg_detections: rounded(mean), peak_hour: peakOf(group, (hour) => hour.hour), total_samples: samples },
        ];
      }),
  );
}

/** By class; `stored` is the number of detections of each. */
export function objectBaselines(hours: readonly ClassHourBaseline[], stored: ReadonlyMap<string, number>): Baseline["object_baselines"] {
  return Object.fromEntries(
    [...groupBy(hours, (hour) => hour.objectClass)].toSorted().map(([objectClass, group]) => [
      objectClass,
      {
        avg_hourly: rounded(pooled(group).mean),
        peak_hour: peakOf(group, (hour) => hour.hour),
        total_detections: stored.get(objectClass) ?? 0,
      },
    ]),
  );
}

/** Returns the record of the hours of the week. */
export function activityBaseline(cameraId: string, hours: readonly HourBaseline[], minSamples: number): ActivityBaseline {
  const most = Math.max(0, ...hours.map((hour) => hour.mean));
  return {
    camera_id: cameraId,
    entries: hours.map((hour) => ({
      hour: hour.hour,
      day_of_week: hour.dayOfWeek,
      avg_count: hour.mean,
      std_dev: Math.sqrt(hour.variance),
      sample_count: hour.samples,
      is_peak: most > 0 && hour.mean === most,
    })),
    total_samples: totalSamples(hours),
    peak_hour: peakOf(hours, (hour) => hour.hour),
    peak_day: peakOf(hours, (hour) => hour.dayOfWeek),
    learning_complete: hours.length === 7 * 24 && hours.every((hour) => hour.samples >= minSamples),
    min_samples_required: minSamples,
  };
}

/** Returns the record of the classes: each with the hours of the day, over all weekdays. */
export function classBaseline(cameraId: string, hours: readonly ClassHourBaseline[]): ClassBaseline {
  const entries = [...groupBy(hours, (hour) => `${String(hour.hour).padStart(2, "0")} ${hour.objectClass}`)].toSorted().map(([, group]) => {
    const { mean, samples } = pooled(group);
    return { object_class: group[0].objectClass, hour: group[0].hour, frequency: rounded(mean), sample_count: samples };
  });
  const classes = [...new Set(hours.map((hour) => hour.objectClass))].toSorted();
  return {
    camera_id: cameraId,
    entries: entries.toSorted((a, b) => classes.indexOf(a.object_class) - classes.indexOf(b.object_class)),
    unique_classes: classes,
    total_samples: totalSamples(hours),
    most_common_class: peakOf(hours, (hour) => hour.objectClass),
  };
}

/** The past part of the running hour. */
export interface RunningHour {
  /** Its share of the hour, 0 to 1. */
  readonly part: number;
  /** Wall-clock time of its start, such as `14:00`. */
  readonly from: string;
}

/** The count since the start of the hour, and the baseline of the whole hour; `name` is a class, or null for all. */
export interface Compared {
  readonly name: string | null;
  readonly count: number;
  readonly usual: Usual | undefined;
}

/**
 * Returns the deviation of the running hour from its baseline, which is scaled to the past part of the hour. Names the classes that
 * deviate individually. Null without enough data.
 */
export function currentDeviation(
  all: Compared,
  classes: readonly Compared[],
  { part, from }: RunningHour,
  thresholdStdev: number,
): Baseline["current_deviation"] {
  if (!all.usual) return null;
  const score = scoreOf(all.usual, all.count, part);
  const interpretation = interpret(score, thresholdStdev);
  const fact = ({ name, count, usual }: Compared) =>
    `${count} detections${name === null ? "" : ` of ${name}`} since ${from}, usually ${formatNumber((usual?.mean ?? 0) * part)}`;
  const farOff = classes.filter(({ count, usual }) => usual && Math.abs(scoreOf(usual, count, part)) > thresholdStdev);
  return {
    score: rounded(score),
    interpretation,
    contributing_factors: [...(interpretation === "normal" ? [] : [all]), ...farOff].map(fact),
  };
}

function interpret(score: number, threshold: number): Deviation {
  if (score > threshold * 1.5) return "far_above_normal";
  if (score > threshold) return "above_normal";
  if (score > threshold / 2) return "slightly_above_normal";
  if (score < -threshold * 1.5) return "far_below_normal";
  return score < -threshold ? "below_normal" : "normal";
}

/** Number of learned hours. */
function totalSamples(hours: readonly HourBaseline[]): number {
  return hours.reduce((sum, hour) => sum + hour.samples, 0);
}

/** Returns the entry with the highest mean; null if all are zero. */
function peakOf<T extends HourBaseline, K extends string | number>(hours: readonly T[], key: (hour: T) => K): K | null {
  let peak: { readonly key: K; readonly mean: number } | undefined;
  for (const [value, group] of [...groupBy(hours, key)].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const { mean } = pooled(group);
    if (mean > (peak?.mean ?? 0)) peak = { key: value, mean };
  }
  return peak?.key ?? null;
}

function groupBy<T, K>(items: readonly T[], key: (item: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
