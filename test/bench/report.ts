import { expect, type TaskMeta } from "vitest";
import { type Spread, spreadOf } from "./statistics.ts";

/** What was measured, round by round; the n-th baseline belongs to the n-th figure of homesec. */
export interface Measurement {
  readonly what: string;
  readonly unit: string;
  readonly homesec: readonly number[];
  readonly baseline?: { readonly what: string; readonly values: readonly number[] };
  /** What is compared with the limit: homesec divided by the baseline, what homesec adds to it, or homesec's own figure. */
  readonly compare: "ratio" | "added" | "absolute";
  /** Without a limit the row is for information. */
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

/** Adds a row to the table, and fails the test, though not at once, when the median of the rounds misses the limit. */
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
