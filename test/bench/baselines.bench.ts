import { test } from "vitest";
import { type Outcome, places, watch } from "../monitoring/baselines/traces.ts";
import { report } from "./report.ts";
import { median, percentile } from "./statistics.ts";

const rounds = [1, 2, 3, 4, 5];
const phases = [2, 3].map((threshold) => ({ threshold, fromWeek: 15, toWeek: 30 }));
/** Per thousand judged hours; a normal distribution would have 46 beyond 2 deviations and 3 beyond 3, counts have more. */
const falseAlarms = new Map([
  [2, 50],
  [3, 12],
]);

for (const place of places) {
  test(place.name, ({ task }) => {
    const watched = rounds.map((seed) => watch(place, seed, phases));
    for (const [index, { threshold }] of phases.entries()) {
      const outcomes = watched.flatMap((all) => all[index] ?? []);
      const row = (what: string, unit: string, figure: (outcome: Outcome) => number, limit?: { readonly atMost: number }) =>
        report(task, {
          what: `${what} at threshold ${threshold}, ${place.name}`,
          unit,
          homesec: outcomes.map(figure),
          compare: "absolute",
          ...(limit && { limit }),
        });
      row("false alarms", "of 1,000 hours", (each) => (1000 * each.falseAlarms) / each.judgedHours, {
        atMost: falseAlarms.get(threshold) ?? 0,
      });
      if (outcomes.some(({ tripled }) => tripled.length === 0)) continue;
      row("three times the visits, reported", "of 1,000 hours", (each) => (1000 * delays(each).length) / each.tripled.length);
      row("three times the visits, median delay", "min", (each) => median(delays(each)));
      row("three times the visits, delay at the 90th percentile", "min", (each) => percentile(delays(each), 90));
      row("an hour of silence, reported", "of 1,000 hours", ({ silences }) => (1000 * silences.filter(Boolean).length) / silences.length);
    }
  });
}

/** Minutes until each reported anomaly was reported. */
function delays({ tripled }: Outcome): readonly number[] {
  return tripled.filter((minute) => minute !== undefined);
}
