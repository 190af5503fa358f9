import type { Progress } from "../../src/backup/format.ts";
import type { Io } from "../io.ts";

/** One line on the terminal that is written over and over. Where there is no terminal, nothing. */
export interface ProgressLine {
  show(progress: Progress): void;
  /** Takes the line away. */
  clear(): void;
}

const everyMs = 100;

/** Makes a line that is written ten times a second at most. */
export function progressLine({ host, global }: Io): ProgressLine {
  const { stderr, clock } = host;
  let shownAt = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    show: ({ step, table, tables, allTables, rows }) => {
      if (stderr.isTTY !== true || global.quiet || clock.monotonic() - shownAt < everyMs) return;
      shownAt = clock.monotonic();
      shown = true;
      const line = `${step} ${table} (table ${tables} of ${allTables}), ${rows.toLocaleString("en")} rows`;
      stderr.write(`\r\u001b[K${line.slice(0, (stderr.columns ?? 80) - 1)}`);
    },
    clear: () => {
      if (shown) stderr.write("\r\u001b[K");
      shown = false;
    },
  };
}
