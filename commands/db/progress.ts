import type { Progress } from "../../src/admin/backup/format.ts";
import type { ProgressLine } from "../output/progress.ts";
import { plain } from "../output/terminal-format.ts";

/** Shows how far a backup or a restore has come. */
export function showing(line: ProgressLine): (progress: Progress) => void {
  return ({ step, table, rows, allRows }) =>
    line.show({ doing: plain(`${step} ${table}`.trim()), count: rows, total: allRows, unit: "rows" });
}
