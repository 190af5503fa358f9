import { loadavg } from "node:os";
import { type Lag, middleOf, robustSlopeOf, slopeOf } from "./measures.ts";
import type { Row } from "./step.ts";

interface Slope {
  readonly perHour: number;
  readonly error: number;
}

/** The result of a long run. Memory in MB per hour with its standard error. */
export interface Verdict {
  readonly objects: Slope;
  /** Part of it that is compiled code: it grows while functions become hot, towards the size of the program. */
  readonly code: Slope;
  /** Buffers beside the objects, without an error: buffers of pictures in progress vary from sample to sample. */
  readonly buffers: number;
  /** Objects and buffers. */
  readonly memory: number;
  readonly resident: Slope;
  /** Difference of open files between the last and the first third, by the median of each minute. */
  readonly moreFiles: number;
  readonly lag: Lag;
  /** The same of an idle program beside it: the machine's share. */
  readonly idle: Lag;
}

/**
 * Summarises the measured minutes. The slope that counts is that of memory after garbage collection: objects and buffers, the minimum of
 * each minute. Resident memory follows it, but includes memory that the allocator and the collector reserve, which varies by many MB.
 */
export function verdictOf(rows: readonly Row[], loops: Pick<Verdict, "lag" | "idle">): Verdict {
  const slope = (of: (row: Row) => number) => {
    const { rise, error } = slopeOf(rows.map((row, minute) => [minute, of(row)] as const));
    return { perHour: rise * 60, error: error * 60 };
  };
  const third = Math.max(1, Math.floor(rows.length / 3));
  // Connections come and go with the faults; leaks stay.
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

/** The result in words. */
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
