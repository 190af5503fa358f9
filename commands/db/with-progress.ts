import type { Progress } from "../../src/admin/backup/format.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { progressLine } from "../output/progress.ts";
import { plain } from "../output/terminal-format.ts";

/** Runs a backup or a restore with a progress line. Resolves to 130 if the work stops because of Ctrl-C. */
export async function withProgress(
  io: Io,
  work: (onProgress: (progress: Progress) => void, clear: () => void) => Promise<number>,
): Promise<number> {
  const { signal } = io.host;
  const line = await progressLine(io);
  const onProgress = ({ step, table, rows, allRows }: Progress): void =>
    line.show({ doing: plain(`${step} ${table}`.trim()), count: rows, total: allRows, unit: "rows" });
  try {
    signal.throwIfAborted();
    return await work(onProgress, line.clear);
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    line.clear();
  }
}
