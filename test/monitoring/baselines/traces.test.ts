import { expect, test } from "vitest";
import { type Outcome, places, watch } from "./traces.ts";

/** The short form of `test/bench/baselines.bench.ts`. */
const phases = [2, 3].map((threshold) => ({ threshold, fromWeek: 2, toWeek: 8 }));
const share = (part: number, of: number) => part / Math.max(1, of);
const found = ({ tripled }: Outcome) => share(tripled.filter((minute) => minute !== undefined).length, tripled.length);
const silent = ({ silences }: Outcome) => share(silences.filter(Boolean).length, silences.length);

test.each(places)("at a $name, learned from nothing on, false alarms stay rare", (place) => {
  const [two, three] = watch(place, 7, phases);
  expect(two && share(two.falseAlarms, two.judgedHours)).toBeLessThan(0.055);
  expect(three && share(three.falseAlarms, three.judgedHours)).toBeLessThan(0.015);
});

test("three times the usual count is reported within the hour, and silence at its end, for busy hours", () => {
  const [street] = places;
  const outcomes = street ? watch(street, 8, phases) : [];
  expect(outcomes).toHaveLength(2);
  for (const outcome of outcomes) {
    expect(outcome.tripled.length).toBeGreaterThan(300);
    expect(found(outcome)).toBeGreaterThan(0.98);
    expect(silent(outcome)).toBeGreaterThan(0.8);
    const delays = outcome.tripled.filter((minute) => minute !== undefined).sort((a, b) => a - b);
    expect(delays[Math.floor(delays.length / 2)]).toBeLessThan(45);
  }
});
