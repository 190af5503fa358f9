import { minuteMs } from "../../../src/base/clock/clock.ts";
import { localTime, type Paint, riskPaint, type TerminalFormat } from "../../output/terminal-format.ts";
import type { Event } from "../records.ts";
import { steady } from "../text.ts";
import type { Loaded } from "../ui/ui.ts";

/** The time of day; the date on other days. */
export function shortTime(time: Date, now: Date): string {
  const [date, clock = ""] = localTime(time).split(" ");
  return date === localTime(now).slice(0, 10) ? clock : (date ?? "").slice(5);
}

/** The age in few characters. */
export function age(time: Date | null, now: Date): string {
  if (time === null) return "never";
  const seconds = Math.max(0, Math.round((now.getTime() - time.getTime()) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** `high 72`, or why there is no score. */
export function riskText(event: Event): { readonly text: string; readonly paint: Paint | undefined } {
  if (event.kind === "camera_health") return { text: "camera", paint: "yellow" };
  if (event.risk_score !== null) return { text: `${event.risk_level} ${event.risk_score}`, paint: riskPaint(event.risk_level) };
  return { text: event.analysis_status === "failed" ? "failed" : "waiting", paint: "dim" };
}

/** `40`, or `3 of 40` with a filter. */
export function countText(shown: number, all: number, most = Number.POSITIVE_INFINITY): string {
  const total = all >= most ? `${all}+` : String(all);
  return shown === all ? total : `${shown} of ${total}`;
}

/** The line of a list without rows: `loading ...`, that there are none, or that none match the filter. */
export function emptyText(isLoaded: boolean, all: number, none: string, noMatch: string): string {
  if (!isLoaded) return "  loading ...";
  return `  ${all === 0 ? none : noMatch}`;
}

/** `340 ms`, `1.2 s`, `2 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / minuteMs)} min`;
}

/** `person 97 %, 10 min ago  1 of 2, ← →`: the detection of the chosen picture of an event. Empty without detections. */
export function captionOf(loaded: Loaded | undefined, { now }: TerminalFormat): string {
  const detections = loaded?.event?.detections ?? [];
  const detection = detections[loaded?.picture ?? 0];
  if (detection === undefined) return "";
  const which = detections.length > 1 ? `  ${(loaded?.picture ?? 0) + 1} of ${detections.length}, ← →` : "";
  const confidence = `${Math.round(detection.confidence * 100)} %`;
  return `${steady(detection.object_type)} ${confidence}, ${age(detection.detected_at, now)} ago${which}`;
}
