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

/** The last measurements by bench file, with the machine and its load at the start of the run. */
const Kept = z.record(z.string(), z.object({ machine: z.string(), load: z.number(), rows: z.array(row) }));
export type Kept = z.infer<typeof Kept>;

const file = join(import.meta.dirname, "../../docs/benchmarks.json");

export async function readKept(): Promise<Kept> {
  return Kept.parse(JSON.parse(await readFile(file, "utf8")));
}

/** Numbers are stored with three digits: more would be noise. */
const figures = new Set(["median", "min", "max"]);

/** Stores these runs and returns them as stored. */
export async function writeKept(kept: Kept): Promise<Kept> {
  const rounded = (key: string, value: unknown): unknown =>
    typeof value === "number" && figures.has(key) ? Number(value.toPrecision(3)) : value;
  const text = JSON.stringify(kept, rounded, 2);
  await writeFile(file, `${text}\n`);
  return Kept.parse(JSON.parse(text));
}

/** A ratio may get worse by this share; the rest is noise. */
const tolerance = 0.2;

/** Describes each limited ratio that is more than 20 % worse than the stored one. Only ratios, since they hold on any machine. */
export function worsened(kept: Kept, rows: readonly Row[]): readonly string[] {
  const before = new Map(Object.values(kept).flatMap((run) => run.rows.map((old) => [old.what, old.compared.median])));
  return rows.flatMap(({ what, compare, compared, limit }) => {
    const was = before.get(what);
    if (compare !== "ratio" || !limit || was === undefined) return [];
    const worse = "atMost" in limit ? compared.median > was * (1 + tolerance) : compared.median < was / (1 + tolerance);
    return worse ? [`${what}: ${compared.median.toFixed(2)} x, it was ${was.toFixed(2)} x`] : [];
  });
}
