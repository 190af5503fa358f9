import { dayMs, minuteMs } from "../../src/base/clock/clock.ts";
import { graphemesOf } from "../../src/base/text/format.ts";

/** How to format values for the terminal. */
export interface TerminalFormat {
  readonly now: Date;
  readonly colour: boolean;
  /** Columns of the terminal; `Infinity` if stdout is not a terminal. */
  readonly width: number;
  /** How the user calls homesec, for commands in texts; `homesec` without it. */
  readonly called?: string | undefined;
}

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], magenta: [35, 39], cyan: [36, 39] } as const;
export type Paint = keyof typeof codes;

/** The text in a colour, if colours are on. */
export function paint(terminal: TerminalFormat, colour: Paint | undefined, text: string): string {
  if (!terminal.colour || colour === undefined) return text;
  const [on, off] = codes[colour];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`; the local date after a week. */
export function ago(terminal: TerminalFormat, time: Date | null): string {
  if (time === null) return "never";
  const seconds = Math.round((terminal.now.getTime() - time.getTime()) / 1000);
  if (seconds < -60) return localTime(time);
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return localMinute(time);
}

/** `2026-01-31 22:15:03`, local. In the repeated hour when the clock is set back, with the offset: `2026-10-25 02:15:03 +01:00`. */
export function localTime(time: Date): string {
  return withOffset(`${dateAndMinute(time)}:${two(time.getSeconds())}`, time);
}

/** `2026-01-31 22:15`, local, with an offset like `localTime`. */
export function localMinute(time: Date): string {
  return withOffset(dateAndMinute(time), time);
}

const two = (value: number): string => String(value).padStart(2, "0");

function dateAndMinute(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

function withOffset(text: string, time: Date): string {
  const offset = offsetOf(time);
  const isAmbiguous = [-dayMs, dayMs].some((ms) => {
    const other = offsetOf(new Date(time.getTime() + ms));
    // The same wall clock time also exists with the other offset
    return other !== offset && offsetOf(new Date(time.getTime() + (offset - other) * minuteMs)) === other;
  });
  if (!isAmbiguous) return text;
  const minutes = Math.abs(offset);
  return `${text} ${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Minutes that local time is ahead of UTC. */
const offsetOf = (time: Date): number => -time.getTimezoneOffset();

/** The exact local time with the distance from now. */
export function exactly(terminal: TerminalFormat, time: Date | null): string {
  return time === null ? "never" : `${localTime(time)} (${distance(terminal, time)})`;
}

/** Like `ago`, but always a distance, also in the future. */
function distance(terminal: TerminalFormat, time: Date): string {
  const seconds = Math.round((terminal.now.getTime() - time.getTime()) / 1000);
  const hours = Math.floor(Math.abs(seconds) / 3600);
  if (seconds >= 7 * 86_400) return `${Math.floor(hours / 24)} d ago`;
  if (seconds >= -60) return ago(terminal, time);
  if (hours === 0) return `in ${Math.floor(-seconds / 60)} min`;
  return hours < 48 ? `in ${hours} h` : `in ${Math.floor(hours / 24)} d`;
}

/** `14.2 KiB` or `3.0 MiB`. */
export function sizeText(bytes: number): string {
  return bytes === 0 || bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MiB` : `${(bytes / 1024).toFixed(1)} KiB`;
}

/** The colour of a risk level. */
export function riskPaint(level: string | null): Paint | undefined {
  return level === null ? "dim" : ({ critical: "magenta", high: "red", medium: "yellow", low: "green" } as const)[level];
}

/** The colour of the state of a camera, service or worker. */
export function statePaint(state: string): Paint | undefined {
  if (["online", "healthy", "running", "ready", "applied"].includes(state)) return "green";
  if (["offline", "degraded", "unknown", "pending", "starting"].includes(state)) return "yellow";
  return ["error", "unhealthy", "stopped", "not ready"].includes(state) ? "red" : undefined;
}

/** Makes untrusted text safe for a terminal: one line, without control characters and marks that reorder text. */
export function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

/** The same for several lines: keeps line ends and tabs. */
export function plainLines(text: string): string {
  return text.replace(/\r(?!\n)|[^\P{Cc}\n\r\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

const colourCode = new RegExp(`(${String.fromCharCode(27)}\\[\\d{1,2}m)`);

/** The same for lines with our own colour codes. */
export function harmless(text: string): string {
  return text
    .split(colourCode)
    .map((part, at) => (at % 2 === 1 ? part : plainLines(part)))
    .join("");
}

const wide =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** The number of terminal columns of a text. */
export function displayWidth(text: string): number {
  // Letters of western languages, dashes and ellipses, without signs that are pictures
  if (/^[\x20-\x7e\u00a1-\u00a8\u00aa-\u00ad\u00af-\u02ff\u2013\u2014\u2026]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}
