import { loadavg } from "node:os";
import { type Lag, middleOf, robustSlopeOf, slopeOf } from "./measures.ts";
import type { Row } from "./step.ts";

interface Slope {
  readonly perHour: number;
  readonly error: number;
}

/** What a long run came to. Memory in MB an hour with its standard error. */
export interface Verdict {
  readonly objects: Slope;
  /** Of that, what functions were compiled to: it grows while functions become used often, and to what the program is. */
  readonly code: Slope;
  /** Buffers beside the objects, without an error: what pictures on their way hold comes on top of what remains, and is seldom the same. */
  readonly buffers: number;
  /** Objects and buffers. */
  readonly memory: number;
  readonly resident: Slope;
  /** How many more files were open in the last third than in the first one, by the middle of each minute. */
  readonly moreFiles: number;
  readonly lag: Lag;
  /** The same of a program beside it that does nothing: what the machine does to everybody. */
  readonly idle: Lag;
}

/**
 * Sums up the minutes that were measured. The slope that counts is that of what remains after garbage was collected: objects and
 * buffers, of each minute the least. Resident memory follows it, but also what the allocator and the collector keep for later, which
 * rises and falls by many MB whatever the program does.
 */
export function verdictOf(rows: readonly Row[], loops: Pick<Verdict, "lag" | "idle">): Verdict {
  const slope = (of: (row: Row) => number) => {
    const { rise, error } = slopeOf(rows.map((row, minute) => [minute, of(row)] as const));
    return { perHour: rise * 60, error: error * 60 };
  };
  const third = Math.max(1, Math.floor(rows.length / 3));
  // connections come and go with the faults; what leaks stays
  const usual = (some: readonly Row[]): number => middleOf(some.map(({ files }) => files[1]));
  const objects = slope(({ objectsMb }) => objectsMb);
  const buffers = robustSlopeOf(rows.map(({ buffersMb }, minute) => [minute, buffersMb] as const)) * 60;
  return {
    objects,
    buffers,
    memory: objects.perHour + buffers,
    code: slope(({ codeMb }) => codeMb),
    resident: slope(({ residentMb }) => residentMb),
    moreFiles: usual(rows.slice(-third)) - usual(rows.slice(0, third)),
    ...loops,
  };
}

const widths = [6, 34, 9, 8, 9, 9, 8, 10, 8] as const;
const columns = (...cells: readonly string[]): string =>
  `${cells.map((cell, at) => (at === 1 ? ` ${cell.padEnd(widths[at])}` : cell.padStart(widths[at] ?? 8))).join("")}\n`;

export const heading = columns("step", "fault", "pictures", "waiting", "objects", "buffers", "rss", "files", "lag p99");

/** A row of the table. */
export function lineOf(row: Row, name: string): string {
  const { fault, uploaded, waiting, objectsMb, buffersMb, residentMb, files, lagP99 } = row;
  const figures = [objectsMb.toFixed(1), buffersMb.toFixed(1), residentMb.toFixed(0), `${files[0]}-${files[2]}`, lagP99.toFixed(0)];
  return columns(name, fault, String(uploaded), waiting === undefined ? "?" : String(waiting), ...figures);
}

/** The verdict in words. */
export function wordsOf({ memory, objects, buffers, code, resident, moreFiles, lag, idle }: Verdict): string {
  const slope = ({ perHour, error }: Slope): string => `${perHour.toFixed(2)} MB an hour (+- ${error.toFixed(2)})`;
  return [
    `memory after collection: ${memory.toFixed(2)} MB an hour: objects ${slope(objects)}, of them compiled code ${slope(code)}; buffers ${buffers.toFixed(2)} MB an hour`,
    `resident: ${slope(resident)}`,
    `open files: ${moreFiles > 0 ? `${moreFiles} more` : "no more"} in the last third than in the first`,
    `event loop: p50 ${lag.p50.toFixed(0)} ms, p99 ${lag.p99.toFixed(0)} ms, at most ${lag.max.toFixed(0)} ms (10 ms of it are the sampling)`,
    `that of an idle program beside it: p99 ${idle.p99.toFixed(0)} ms; load of the machine at the end: ${(loadavg()[0] ?? 0).toFixed(1)}`,
    "",
  ].join("\n");
}
