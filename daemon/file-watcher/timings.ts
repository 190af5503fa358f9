import { hourMs } from "../../src/base/clock/durations.ts";

/** When the watcher does what, in milliseconds. Tests shorten them. */
export interface Timings {
  /** Folders whose time changed are listed again. */
  readonly rescanMs: number;
  /** Every file is compared with the ledger again. */
  readonly fullRescanMs: number;
  /** Folders that cannot be watched are looked at. */
  readonly pollMs: number;
  /** A file at zero bytes is given up. */
  readonly emptyAfterMs: number;
  /** An incomplete file is listed as stuck. */
  readonly stuckAfterMs: number;
  /** An incomplete file gets its outcome. */
  readonly giveUpAfterMs: number;
  /** The event loop stood still so long that events may be lost. */
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
