import type { Io } from "../io.ts";
import { displayWidth } from "./terminal-format.ts";

/** The progress of a long operation. */
export interface Progress {
  /** The current step, such as `writing events`. */
  readonly doing: string;
  readonly count: number;
  /** The final value of `count`; undefined if it is unknown. */
  readonly total?: number | undefined;
  /** The unit of `count`, such as `rows`; `bytes` are shown as MiB. */
  readonly unit: string;
}

/** One terminal line that is updated in place. */
export interface ProgressLine {
  /** False without a terminal and with --quiet. */
  readonly isVisible: boolean;
  show(progress: Progress): void;
  /** Removes the line. */
  clear(): void;
}

const narrowest = 10;

/** Creates a line with a spinner, a bar, the rate and the remaining time. Shows nothing without a terminal. */
export async function progressLine({ host, global }: Io): Promise<ProgressLine> {
  const { stderr, clock, env } = host;
  const canMove = typeof (stderr as { readonly cursorTo?: unknown }).cursorTo === "function";
  const columns = stderr.columns ?? 0;
  // Without a known width, lines cannot be updated in place
  if (stderr.isTTY !== true || !canMove || columns < narrowest || global.quiet || env["TERM"] === "dumb")
    return { isVisible: false, show: () => {}, clear: () => {} };
  const { default: ora } = await import("ora");
  const colour = global.color && (env["NO_COLOR"] ?? "") === "";
  const spinner = ora({
    stream: stderr as unknown as NodeJS.WritableStream,
    color: colour ? "cyan" : false,
    discardStdin: false,
    isEnabled: true,
  });
  let begun: { readonly doing: string; readonly at: number; readonly count: number } | undefined;
  let isGone = false;
  // A terminal that has vanished has no columns. The spinner divides by them and would erase lines without end
  (stderr as unknown as Partial<NodeJS.WriteStream>).on?.("resize", () => {
    isGone = !stderr.columns;
    if (isGone) spinner.stop();
  });
  return {
    isVisible: true,
    show: (progress) => {
      if (isGone) return;
      const now = clock.monotonic();
      const step = progress.doing.split(" ")[0] ?? "";
      if (begun?.doing !== step) begun = { doing: step, at: now, count: progress.count };
      const seconds = (now - begun.at) / 1000;
      const perSecond = seconds < 0.5 ? undefined : (progress.count - begun.count) / seconds;
      // Two columns for the spinner, and a free one so that no terminal wraps
      spinner.text = progressText(progress, perSecond, (stderr.columns || columns) - 3);
      if (!spinner.isSpinning) spinner.start();
    },
    clear: () => {
      spinner.stop();
    },
  };
}

const longestBar = 20;

/** The text of the line in at most `width` columns; the least important parts are dropped first. */
export function progressText({ doing, count, total, unit }: Progress, perSecond: number | undefined, width: number): string {
  const known = total !== undefined && total > 0 && count <= total ? total : undefined;
  const share = known === undefined ? 0 : count / known;
  const filled = Math.floor(share * longestBar);
  const bar = known === undefined ? [] : [`${"█".repeat(filled)}${"░".repeat(longestBar - filled)}`, `${Math.floor(share * 100)} %`];
  const countText = known === undefined ? amount(count, unit) : `${numberText(count, unit)} of ${amount(known, unit)}`;
  const rate = perSecond === undefined || perSecond <= 0 ? [] : [`${amount(Math.round(perSecond), unit)}/s`];
  const left = known === undefined || rate.length === 0 ? [] : [`${duration((known - count) / (perSecond as number))} left`];
  const [percent = []] = [bar.slice(1)];
  const forms = [
    [doing, ...bar, countText, ...rate, ...left],
    [doing, ...bar, ...rate, ...left],
    [doing, ...percent, ...left],
    [...percent, ...left],
    [...percent],
  ].map((parts) => parts.join("  "));
  return forms.find((form) => displayWidth(form) <= width) ?? "";
}

function numberText(count: number, unit: string): string {
  return unit === "bytes" ? (count / 1_048_576).toFixed(1) : count.toLocaleString("en");
}

function amount(count: number, unit: string): string {
  return `${numberText(count, unit)} ${unit === "bytes" ? "MiB" : unit}`;
}

/** `12 s`, `3 min`, `2 h 5 min`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
