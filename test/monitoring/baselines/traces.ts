import { baselineConfigOf } from "../../../src/monitoring/baselines/baseline-config.ts";
import { type Known, usualIn } from "../../../src/monitoring/baselines/known.ts";
import { learnedFrom } from "../../../src/monitoring/baselines/learning.ts";
import { type HourBaseline, scoreOf } from "../../../src/monitoring/baselines/statistics.ts";
import { randomFrom } from "../../support/chance.ts";

const hourMs = 3_600_000;
/** Monday, midnight UTC. */
const begin = Date.parse("2026-01-05T00:00:00Z");

/** A simulated camera with known behaviour: visits are random with a rate per hour, each with some detections. */
export interface Place {
  readonly name: string;
  /** Visits per hour; day 0 is Monday. */
  readonly visits: (dayOfWeek: number, hour: number) => number;
  /** Mean number of detections per visit; 1, 2, 3 ... have falling probability. */
  readonly burst: number;
}

const byDay = (hour: number) => Math.max(0, Math.sin(((hour - 6) / 16) * Math.PI));

export const places: readonly Place[] = [
  { name: "street, single detections", visits: (_, hour) => 2 + 30 * byDay(hour), burst: 1 },
  { name: "street, bursts of 5", visits: (_, hour) => 1 + 12 * byDay(hour), burst: 5 },
  { name: "shop, closed at weekends, bursts of 10", visits: (day, hour) => (day < 5 && hour >= 8 && hour < 18 ? 10 : 0.1), burst: 10 },
  { name: "front door, bursts of 15", visits: (_, hour) => 0.05 + 1.5 * byDay(hour), burst: 15 },
  { name: "back yard, a visit in two days", visits: () => 1 / 48, burst: 15 },
];

/** The minutes of an hour's detections, in order. */
function hourOf(place: Place, dayOfWeek: number, hour: number, chance: () => number, times = 1): readonly number[] {
  const rate = place.visits(dayOfWeek, hour) * times;
  const minutes: number[] = [];
  for (let at = waiting(rate, chance); at < 60; at += waiting(rate, chance)) {
    const detections = 1 + Math.floor(Math.log(1 - chance()) / Math.log(1 - 1 / place.burst) || 0);
    // one detection per second
    for (let n = 0; n < detections; n += 1) minutes.push(Math.min(59.99, at + n / 60));
  }
  return minutes.sort((a, b) => a - b);
}

function waiting(rate: number, chance: () => number): number {
  return rate > 0 ? (-Math.log(1 - chance()) / rate) * 60 : Number.POSITIVE_INFINITY;
}

/** The anomalies that homesec reports for a place in one phase. */
export interface Outcome {
  judgedHours: number;
  /** Normal hours with a reported anomaly. */
  falseAlarms: number;
  /** For busy hours with three times the visits: minutes until the report, or undefined if there was none. */
  readonly tripled: (number | undefined)[];
  /** Whether a busy hour without any detection was reported at its end. */
  readonly silences: boolean[];
}

export interface Phase {
  readonly threshold: number;
  readonly fromWeek: number;
  readonly toWeek: number;
}

/**
 * Lets homesec learn a place from scratch and evaluate it. Each evaluated hour with at least ten usual detections is also evaluated with
 * three times the visits and with none; homesec learns nothing from these two variants.
 */
export function watch(place: Place, seed: number, phases: readonly Phase[]): readonly Outcome[] {
  const chance = randomFrom(seed);
  const slots = new Map<string, HourBaseline>();
  const outcomes = phases.map((): Outcome => ({ judgedHours: 0, falseAlarms: 0, tripled: [], silences: [] }));
  const weeks = Math.max(...phases.map(({ toWeek }) => toWeek));
  for (let n = 0; n < weeks * 168; n += 1) {
    const start = new Date(begin + n * hourMs);
    const hour = { start, end: new Date(start.getTime() + hourMs), dayOfWeek: Math.floor(n / 24) % 7, hour: n % 24 };
    const known: Known = { config: baselineConfigOf(undefined), hours: [...slots.values()], classHours: new Map() };
    const minutes = hourOf(place, hour.dayOfWeek, hour.hour, chance);
    const usual = usualIn(known, hour, null);
    const isBusy = place.visits(hour.dayOfWeek, hour.hour) * place.burst >= 10;
    const more = isBusy ? hourOf(place, hour.dayOfWeek, hour.hour, chance, 3) : [];
    for (const [index, { threshold, fromWeek, toWeek }] of phases.entries()) {
      const outcome = outcomes[index];
      if (!outcome || !usual || n < fromWeek * 168 || n >= toWeek * 168) continue;
      outcome.judgedHours += 1;
      if (Math.abs(scoreOf(usual, minutes.length)) > threshold) outcome.falseAlarms += 1;
      if (!isBusy) continue;
      outcome.tripled.push(more.find((_, before) => scoreOf(usual, before + 1) > threshold));
      outcome.silences.push(scoreOf(usual, 0) < -threshold);
    }
    const { activity } = learnedFrom(known, hour, new Map([["person", minutes.length]]));
    slots.set(`${hour.dayOfWeek} ${hour.hour}`, { ...activity, dayOfWeek: hour.dayOfWeek, hour: hour.hour });
  }
  return outcomes;
}
