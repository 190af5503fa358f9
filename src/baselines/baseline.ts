import type { z } from "zod";
import type {
  ActivityBaseline as ActivityBaselineRecord,
  Anomaly as AnomalyRecord,
  BaselineConfig as BaselineConfigRecord,
  Baseline as BaselineRecord,
  ClassBaseline as ClassBaselineRecord,
  deviations,
} from "../contract/routes/baselines.ts";
import { weekdays } from "../contract/routes/baselines.ts";

/** The records as clients see them. */
export type Baseline = z.output<typeof BaselineRecord>;
export type ActivityBaseline = z.output<typeof ActivityBaselineRecord>;
export type ClassBaseline = z.output<typeof ClassBaselineRecord>;
export type BaselineConfig = z.output<typeof BaselineConfigRecord>;
export type Anomaly = z.output<typeof AnomalyRecord>;
type Deviation = (typeof deviations)[number];

const hourMs = 3_600_000;

/** What is known of an hour of the week: decayed mean and variance of detections, over so many such hours. */
export interface HourBaseline {
  /** 0 is Monday. */
  readonly dayOfWeek: number;
  /** 0 to 23, UTC. */
  readonly hour: number;
  readonly mean: number;
  readonly variance: number;
  readonly samples: number;
}

/** The same for one class. */
export interface ClassHourBaseline extends HourBaseline {
  readonly objectClass: string;
}

/** Weekday and hour of a time, UTC. */
export function hourOfWeek(at: Date): Pick<HourBaseline, "dayOfWeek" | "hour"> {
  return { dayOfWeek: (at.getUTCDay() + 6) % 7, hour: at.getUTCHours() };
}

/** Start of the hour of a time. */
export function startOfHour(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs);
}

/** By hour of the day, over all weekdays. */
export function hourlyPatterns(hours: readonly HourBaseline[]): Baseline["hourly_patterns"] {
  return Object.fromEntries(
    [...groupBy(hours, (hour) => hour.hour)]
      .toSorted(([a], [b]) => a - b)
      .map(([hour, group]) => {
        const { mean, deviation, samples } = pooled(group);
        return [String(hour), { avg_detections: mean, std_dev: deviation, sample_count: samples }];
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
        return [weekdays[day] ?? "", { avg_detections: mean, peak_hour: peakOf(group, (hour) => hour.hour), total_samples: samples }];
      }),
  );
}

/** By class; `stored` is how many detections of each there are. */
export function objectBaselines(hours: readonly ClassHourBaseline[], stored: ReadonlyMap<string, number>): Baseline["object_baselines"] {
  return Object.fromEntries(
    [...groupBy(hours, (hour) => hour.objectClass)].toSorted().map(([objectClass, group]) => [
      objectClass,
      {
        avg_hourly: pooled(group).mean,
        peak_hour: peakOf(group, (hour) => hour.hour),
        total_detections: stored.get(objectClass) ?? 0,
      },
    ]),
  );
}

/** The record of the hours of the week. */
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

/** The record of the classes: each with the hours of the day, over all weekdays. */
export function classBaseline(cameraId: string, hours: readonly ClassHourBaseline[]): ClassBaseline {
  const entries = [...groupBy(hours, (hour) => `${String(hour.hour).padStart(2, "0")} ${hour.objectClass}`)].toSorted().map(([, group]) => {
    const { mean, samples } = pooled(group);
    return { object_class: group[0].objectClass, hour: group[0].hour, frequency: mean, sample_count: samples };
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

/**
 * How far the running hour is from what is usual, given what was counted since its start. What is usual grows with the
 * part of the hour that is over. Null while the hour of the week has fewer than `minSamples` samples.
 */
export function currentDeviation(
  usual: HourBaseline | undefined,
  observed: number,
  now: Date,
  limits: { readonly minSamples: number; readonly thresholdStdev: number },
): Baseline["current_deviation"] {
  if (!usual || usual.samples < limits.minSamples) return null;
  const part = (now.getTime() - startOfHour(now).getTime()) / hourMs;
  const expected = usual.mean * part;
  // never less than one detection, or a camera that sees nothing all week would cry out at the first
  const deviation = Math.max(1, Math.sqrt(usual.variance * part));
  const score = rounded((observed - expected) / deviation);
  const interpretation = interpret(score, limits.thresholdStdev);
  const fact = `${observed} detections since ${startOfHour(now).toISOString().slice(11, 16)} UTC, usually ${rounded(expected)}`;
  return { score, interpretation, contributing_factors: interpretation === "normal" ? [] : [fact] };
}

function interpret(score: number, threshold: number): Deviation {
  if (score > threshold * 1.5) return "far_above_normal";
  if (score > threshold) return "above_normal";
  if (score > threshold / 2) return "slightly_above_normal";
  if (score < -threshold * 1.5) return "far_below_normal";
  return score < -threshold ? "below_normal" : "normal";
}

/** Hours that were learned from. */
export function totalSamples(hours: readonly HourBaseline[]): number {
  return hours.reduce((sum, hour) => sum + hour.samples, 0);
}

/** Several hours as one: the spread between their means counts as spread too. */
function pooled(hours: readonly HourBaseline[]): { readonly mean: number; readonly deviation: number; readonly samples: number } {
  const samples = totalSamples(hours);
  const mean = hours.reduce((sum, hour) => sum + hour.mean * hour.samples, 0) / samples;
  const variance = hours.reduce((sum, hour) => sum + (hour.variance + (hour.mean - mean) ** 2) * hour.samples, 0) / samples;
  return { mean: rounded(mean), deviation: rounded(Math.sqrt(variance)), samples };
}

/** Of what the most is seen; null when nothing is. */
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

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
