import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Row } from "./report.ts";

const spread = z.object({ median: z.number(), min: z.number(), max: z.number() });
const row = z.object({
  what: z.string(),
  unit: z.string(),
  compare: z.enum(["ratio", "added", "absolute"]),
  limit: z.union([z.object({ atMost: z.number() }), z.object({ atLeast: z.number() })]).optional(),
  homesec: spread,
  baseline: spread.extend({ what: z.string() }).optional(),
  compared: spread,
  ok: z.boolean(),
}) satisfies z.ZodType<Row>;

/** What was measured last, by the name of the bench file, with the machine and what others did on it when the run began. */
const Kept = z.record(z.string(), z.object({ machine: z.string(), load: z.number(), rows: z.array(row) }));
export type Kept = z.infer<typeof Kept>;

const file = join(import.meta.dirname, "../../docs/benchmarks.json");

export async function readKept(): Promise<Kept> {
  return Kept.parse(JSON.parse(await readFile(file, "utf8")));
}

/** Figures are kept with three digits: more would only be noise. */
const figures = new Set(["median", "min", "max"]);

/** Keeps these runs; answers them as they are kept. */
export async function writeKept(kept: Kept): Promise<Kept> {
  const rounded = (key: string, value: unknown): unknown =>
    typeof value === "number" && figures.has(key) ? Number(value.toPrecision(3)) : value;
  const text = JSON.stringify(kept, rounded, 2);
  await writeFile(file, `${text}\n`);
  return Kept.parse(JSON.parse(text));
}

/** A ratio may get worse by so much; the rest is noise. */
const tolerance = 0.2;

/** A sentence for each ratio with a limit that is more than 20 % worse than the kept one. Ratios only: they hold on any machine. */
export function worsened(kept: Kept, rows: readonly Row[]): readonly string[] {
  const before = new Map(Object.values(kept).flatMap((run) => run.rows.map((old) => [old.what, old.compared.median])));
  return rows.flatMap(({ what, compare, compared, limit }) => {
    const was = before.get(what);
    if (compare !== "ratio" || !limit || was === undefined) return [];
    const worse = "atMost" in limit ? compared.median > was * (1 + tolerance) : compared.median < was / (1 + tolerance);
    return worse ? [`${what}: ${compared.median.toFixed(2)} x, it was ${was.toFixed(2)} x`] : [];
  });
}
