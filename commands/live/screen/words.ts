import { minuteMs } from "../../../src/base/clock/clock.ts";
import { localTime, type Paint, riskPaint } from "../../output/terminal-format.ts";
import type { Event } from "../records.ts";

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

/** `340 ms`, `1.2 s`, `2 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / minuteMs)} min`;
}
