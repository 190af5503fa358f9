import { minuteMs } from "../../../src/base/clock/clock.ts";

/** Number of minutes in an activity. */
export const activityMinutes = 30;

/** Detections per minute of the last minutes. */
export interface Activity {
  /** The newest minute, since 1970. */
  readonly minute: number;
  /** The newest last, `activityMinutes` of them. */
  readonly counts: readonly number[];
}

const quiet: readonly number[] = Array.from({ length: activityMinutes }, () => 0);

/** The activity with one more detection. Detections older than its range are ignored. */
export function withDetection(activity: Activity | undefined, time: Date): Activity {
  const minute = Math.floor(time.getTime() / minuteMs);
  const { minute: newest, counts } = movedTo(activity ?? { minute, counts: quiet }, minute);
  const at = activityMinutes - 1 - (newest - minute);
  return at < 0 ? { minute: newest, counts } : { minute: newest, counts: counts.with(at, (counts[at] ?? 0) + 1) };
}

/** The same activity, shifted if `minute` is newer. */
function movedTo(activity: Activity, minute: number): Activity {
  const passed = minute - activity.minute;
  if (passed <= 0) return activity;
  const remaining = activity.counts.slice(Math.min(passed, activityMinutes));
  return { minute, counts: [...remaining, ...quiet.slice(0, activityMinutes - remaining.length)] };
}

const bars = [..."▁▂▃▄▅▆▇█"];

/** The last `width` minutes as a line: a bar per minute with detections, a dot per minute without. */
export function sparkline(activity: Activity | undefined, now: Date, width: number): string {
  const minute = Math.floor(now.getTime() / minuteMs);
  const { counts } = movedTo(activity ?? { minute, counts: quiet }, minute);
  const shown = counts.slice(-width);
  const most = Math.max(1, ...shown);
  const line = shown.map((count) =>
    count === 0 ? "·" : (bars[Math.min(bars.length - 1, Math.floor((count / most) * bars.length))] ?? ""),
  );
  return line.join("").padStart(width, "·");
}
