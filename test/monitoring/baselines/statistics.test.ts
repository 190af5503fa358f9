import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clipped, type HourBaseline, type Learned, learn, scoreOf, usualOf } from "../../../src/monitoring/baselines/statistics.ts";

const nothing: Learned = { mean: 0, variance: 0, samples: 0 };
const learnAll = (counts: readonly number[], decay = 0.1) => counts.reduce((before, count) => learn(before, count, decay), nothing);
const limits = { decayFactor: 0.1, minSamples: 10 };
const at = { dayOfWeek: 2, hour: 14 };
const slot = (dayOfWeek: number, counts: readonly number[], hour = 14): HourBaseline => ({ ...learnAll(counts), dayOfWeek, hour });
const times = (n: number, count: number) => Array.from({ length: n }, () => count);

describe("learned values", () => {
  it("are the mean and variance of the first hours, all with the same weight", () => {
    expect(learnAll([4])).toEqual({ mean: 4, variance: 0, samples: 1 });
    const { mean, variance } = learnAll([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(mean).toBeCloseTo(5);
    expect(variance).toBeCloseTo(4);
  });

  it("follow a change: the last hour has a weight of a tenth, and empty hours count", () => {
    const before = learnAll(times(20, 10));
    expect(learn(before, 20, 0.1).mean).toBeCloseTo(11);
    expect(learn(before, 0, 0.1).mean).toBeCloseTo(9);
    expect(learnAll([...times(20, 10), ...times(40, 30)]).mean).toBeGreaterThan(29);
  });

  it("lie between the minimum and the maximum of any counts", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 60 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (counts, decay) => {
          const { mean, variance, samples } = learnAll(counts, decay);
          expect(samples).toBe(counts.length);
          expect(mean).toBeGreaterThanOrEqual(Math.min(...counts) - 1e-6);
          expect(mean).toBeLessThanOrEqual(Math.max(...counts) + 1e-6);
          expect(variance).toBeGreaterThanOrEqual(0);
          expect(variance).toBeLessThanOrEqual((Math.max(...counts) - Math.min(...counts)) ** 2 + 1e-6);
        },
      ),
    );
  });
});

describe("the usual count", () => {
  it("is not known before ten such hours, of whichever day", () => {
    expect(usualOf([], at, limits)).toBeUndefined();
    const nine = [0, 1, 3, 4].map((day) => slot(day, [5, 5])).concat(slot(5, [5]));
    expect(usualOf(nine, at, limits)).toBeUndefined();
    expect(usualOf([...nine, slot(6, [5])], at, limits)).toMatchObject({ mean: 5, samples: 10 });
    expect(usualOf([...nine, slot(6, [5], 15)], at, limits)).toBeUndefined();
  });

  it("is that of the weekday as soon as it is known well enough", () => {
    const hours = [slot(2, times(10, 40)), ...[0, 1, 3, 4, 5, 6].map((day) => slot(day, times(10, 2)))];
    expect(usualOf(hours, at, limits)).toMatchObject({ mean: 40, samples: 10 });
    expect(usualOf(hours, { ...at, dayOfWeek: 3 }, limits)?.mean).toBe(2);
  });

  it("does not call a thing that comes once a week unusual in its second week", () => {
    const hours = [slot(2, [40]), ...[0, 1, 3, 4, 5, 6].map((day) => slot(day, [0, 0]))];
    const usual = usualOf(hours, at, limits);
    expect(usual && scoreOf(usual, 40)).toBeLessThan(2);
  });

  it("has room for a single detection where there is never any, and none for many", () => {
    const usual = usualOf([slot(2, times(50, 0))], at, limits);
    expect(usual && [0, 1, 2, 3].map((count) => scoreOf(usual, count))).toEqual([0, 1, 2, 3]);
  });

  it("has room for a burst as they come there, as soon as one was learned", () => {
    // a visit of 20 detections every tenth hour
    const visits = [20, ...times(9, 0)];
    const usual = usualOf([slot(2, times(20, 0)), slot(2, [...visits, ...visits], 15)], at, limits);
    expect(usual && scoreOf(usual, 20)).toBeLessThanOrEqual(1.1);
    expect(usual && scoreOf(usual, 80)).toBeGreaterThan(3);
  });

  it("is judged with the spread that chance alone makes, however even the past was", () => {
    const usual = usualOf([slot(2, times(30, 100))], at, limits);
    expect(usual && scoreOf(usual, 110)).toBeCloseTo(1);
    expect(usual && scoreOf(usual, 70)).toBeCloseTo(-3);
    expect(usual && scoreOf(usual, 100, 0.25)).toBeCloseTo(15);
  });

  it("is not carried away by one wild hour", () => {
    const before = slot(2, times(30, 10));
    const usual = usualOf([before], at, limits);
    const after = learn(before, clipped(5_000, usual), 0.1);
    expect(after.mean).toBeLessThan(12);
    const next = usualOf([{ ...after, ...at }], at, limits);
    expect(next && scoreOf(next, 30)).toBeGreaterThan(3);
    expect(clipped(5_000, undefined)).toBe(5_000);
  });

  it("never gives anything but a number", () => {
    // the variance of counts is at most their mean times their maximum
    const learned = fc
      .tuple(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.double({ min: 0, max: 1e6, noNaN: true }))
      .map(([mean, ratio]) => ({ mean, variance: mean * ratio }));
    const hour = fc.tuple(learned, fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 6 }), fc.integer({ min: 12, max: 15 }));
    fc.assert(
      fc.property(
        fc.uniqueArray(hour, { selector: (it) => `${it[2]} ${it[3]}` }),
        fc.nat(1e6),
        fc.integer({ min: 1, max: 40 }),
        (all, count, minSamples) => {
          const hours = all.map(([known, samples, dayOfWeek, h]) => ({ ...known, samples, dayOfWeek, hour: h }));
          const usual = usualOf(hours, at, { decayFactor: 0.1, minSamples });
          if (!usual) return;
          expect(Number.isFinite(scoreOf(usual, count))).toBe(true);
          expect(usual.burst).toBeGreaterThanOrEqual(1);
          expect(scoreOf(usual, usual.mean)).toBeCloseTo(0);
          expect(scoreOf(usual, count + 1)).toBeGreaterThan(scoreOf(usual, count));
        },
      ),
    );
  });
});
