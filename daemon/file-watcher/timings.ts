import { hourMs } from "../../src/base/clock/clock.ts";

/** Intervals and limits of the watcher, in milliseconds. Tests shorten them. */
export interface Timings {
  /** Interval between listings of folders with a new modification time. */
  readonly rescanMs: number;
  /** Interval between comparisons of every file with the ledger. */
  readonly fullRescanMs: number;
  /** Interval between checks of folders without a watch. */
  readonly pollMs: number;
  /** An empty file gets its outcome after this time without a change. */
  readonly emptyAfterMs: number;
  /** An incomplete file is listed as stuck after this time without a change. */
  readonly stuckAfterMs: number;
  /** An incomplete file gets its outcome after this time without a change. */
  readonly giveUpAfterMs: number;
  /** Events may be lost after the event loop was blocked for this long. */
  readonly stallMs: number;
}

export const defaultTimings: Timings = {
  rescanMs: 15_000,
  fullRescanMs: hourMs,
  pollMs: 2_000,
  emptyAfterMs: 60_000,
  stuckAfterMs: 60_000,
  giveUpAfterMs: 600_000,
  stallMs: 200,
};
