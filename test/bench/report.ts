import { expect, type TaskMeta } from "vitest";
import { type Spread, spreadOf } from "./statistics.ts";

/** Measurements per round; the n-th baseline belongs to the n-th value of homesec. */
export interface Measurement {
  readonly what: string;
  readonly unit: string;
  readonly homesec: readonly number[];
  readonly baseline?: { readonly what: string; readonly values: readonly number[] };
  /** The value compared with the limit: homesec divided by the baseline, homesec minus the baseline, or homesec alone. */
  readonly compare: "ratio" | "added" | "absolute";
  /** A row without a limit is informational. */
  readonly limit?: { readonly atMost: number } | { readonly atLeast: number } | undefined;
}

/** A row of the table. */
export interface Row extends Pick<Measurement, "what" | "unit" | "compare" | "limit"> {
  readonly homesec: Spread;
  readonly baseline?: (Spread & { readonly what: string }) | undefined;
  readonly compared: Spread;
  readonly ok: boolean;
}

declare module "vitest" {
  interface TaskMeta {
    benchRows?: Row[];
  }
}

/** Adds a row to the table, and fails the test softly if the median of the rounds misses the limit. */
export function report(task: { readonly meta: TaskMeta }, measurement: Measurement): void {
  const { what, unit, compare, limit, homesec, baseline } = measurement;
  const compared = spreadOf(homesec.map((own, round) => comparison(compare, own, baseline?.values[round])));
  const ok = !limit || ("atMost" in limit ? compared.median <= limit.atMost : compared.median >= limit.atLeast);
  task.meta.benchRows ??= [];
  task.meta.benchRows.push({
    ...{ what, unit, compare, compared, ok, homesec: spreadOf(homesec) },
    ...(limit && { limit }),
    ...(baseline && { baseline: { what: baseline.what, ...spreadOf(baseline.values) } }),
  });
  expect.soft(ok, `${what}: ${compared.median.toFixed(2)} misses its limit`).toBe(true);
}

function comparison(compare: Measurement["compare"], own: number, baseline: number | undefined): number {
  if (compare === "absolute") return own;
  if (baseline === undefined) throw new Error("each round needs its baseline");
  return compare === "ratio" ? own / baseline : own - baseline;
}
