import { z } from "zod";
import type { Row } from "./report.ts";

/** What is kept of a run for comparing the next one with it: the median of what each row compares, by what it measures. */
export const Kept = z.object({ machine: z.string(), rows: z.record(z.string(), z.number()) });
export type Kept = z.infer<typeof Kept>;

/** A ratio may get worse by so much; the rest is noise. */
const tolerance = 0.2;

/** Ratios only: they hold on any machine, while milliseconds are those of one. */
export function kept(machine: string, rows: readonly Row[]): Kept {
  return {
    machine,
    rows: Object.fromEntries(rows.filter(({ compare }) => compare === "ratio").map(({ what, compared }) => [what, compared.median])),
  };
}

/** A sentence for each ratio with a limit that got worse by more than 20 % since the run that was kept. */
export function worsened(before: Kept, rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ what, compare, compared, limit }) => {
    const was = before.rows[what];
    if (compare !== "ratio" || !limit || was === undefined) return [];
    const worse = "atMost" in limit ? compared.median > was * (1 + tolerance) : compared.median < was / (1 + tolerance);
    return worse ? [`${what}: ${compared.median.toFixed(2)} x, it was ${was.toFixed(2)} x`] : [];
  });
}
