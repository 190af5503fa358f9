import type { Io } from "../io.ts";
import { displayWidth } from "./terminal-format.ts";

/** How far something that takes long has come. */
export interface Done {
  /** What is being done, such as `writing events`. */
  readonly doing: string;
  readonly count: number;
  /** What `count` will be at the end, or undefined where nobody knows. */
  readonly total?: number | undefined;
  /** What is counted, such as `rows`; `bytes` are written as MiB. */
  readonly unit: string;
}

/** One line on the terminal that is written over and over. */
export interface ProgressLine {
  /** Whether anybody sees it: nobody does without a terminal, and with --quiet. */
  readonly seen: boolean;
  show(done: Done): void;
  /** Takes the line away. */
  clear(): void;
}

const narrowest = 10;

/** A line with a spinner, a bar, the rate and the time that is left, on a terminal only. */
export async function progressLine({ host, global }: Io): Promise<ProgressLine> {
  const { stderr, clock, env } = host;
  const canMove = typeof (stderr as { readonly cursorTo?: unknown }).cursorTo === "function";
  const columns = stderr.columns ?? 0;
  // a terminal that does not know how wide it is has no lines that could be written over
  if (stderr.isTTY !== true || !canMove || columns < narrowest || global.quiet || env["TERM"] === "dumb")
    return { seen: false, show: () => {}, clear: () => {} };
  const { default: ora } = await import("ora");
  const colour = global.color && (env["NO_COLOR"] ?? "") === "";
  const spinner = ora({
    stream: stderr as unknown as NodeJS.WritableStream,
    color: colour ? "cyan" : false,
    discardStdin: false,
    isEnabled: true,
  });
  let begun: { readonly doing: string; readonly at: number; readonly count: number } | undefined;
  return {
    seen: true,
    show: (done) => {
      const now = clock.monotonic();
      const step = done.doing.split(" ")[0] ?? "";
      if (begun?.doing !== step) begun = { doing: step, at: now, count: done.count };
      const seconds = (now - begun.at) / 1000;
      const perSecond = seconds < 0.5 ? undefined : (done.count - begun.count) / seconds;
      // two columns for the spinner, one that stays free so that no terminal wraps
      spinner.text = progressText(done, perSecond, (stderr.columns || columns) - 3);
      if (!spinner.isSpinning) spinner.start();
    },
    clear: () => {
      spinner.stop();
    },
  };
}

const longestBar = 20;

/** What the line says in at most `width` columns; what has least to tell gives way first. */
export function progressText({ doing, count, total, unit }: Done, perSecond: number | undefined, width: number): string {
  const known = total !== undefined && total > 0 && count <= total ? total : undefined;
  const share = known === undefined ? 0 : count / known;
  const filled = Math.floor(share * longestBar);
  const bar = known === undefined ? [] : [`${"█".repeat(filled)}${"░".repeat(longestBar - filled)}`, `${Math.floor(share * 100)} %`];
  const counted = known === undefined ? amount(count, unit) : `${figure(count, unit)} of ${amount(known, unit)}`;
  const rate = perSecond === undefined || perSecond <= 0 ? [] : [`${amount(Math.round(perSecond), unit)}/s`];
  const left = known === undefined || rate.length === 0 ? [] : [`${duration((known - count) / (perSecond as number))} left`];
  const [percent = []] = [bar.slice(1)];
  const forms = [
    [doing, ...bar, counted, ...rate, ...left],
    [doing, ...bar, ...rate, ...left],
    [doing, ...percent, ...left],
    [...percent, ...left],
    [...percent],
  ].map((parts) => parts.join("  "));
  return forms.find((form) => displayWidth(form) <= width) ?? "";
}

function figure(count: number, unit: string): string {
  return unit === "bytes" ? (count / 1_048_576).toFixed(1) : count.toLocaleString("en");
}

function amount(count: number, unit: string): string {
  return `${figure(count, unit)} ${unit === "bytes" ? "MiB" : unit}`;
}

/** `12 s`, `3 min`, `2 h 5 min`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
