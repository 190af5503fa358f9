import { minuteMs } from "../../../src/base/clock/durations.ts";

/** Minutes that are remembered. */
export const activityMinutes = 30;

/** How much was seen in each of the last minutes. */
export interface Activity {
  /** The newest minute, counted from 1970. */
  readonly minute: number;
  /** The newest last, `activityMinutes` of them. */
  readonly counts: readonly number[];
}

const quiet: readonly number[] = Array.from({ length: activityMinutes }, () => 0);

/** The activity with one more at that time. What is older than it remembers changes nothing. */
export function counted(activity: Activity | undefined, time: Date): Activity {
  const minute = Math.floor(time.getTime() / minuteMs);
  const { minute: newest, counts } = movedTo(activity ?? { minute, counts: quiet }, minute);
  const at = activityMinutes - 1 - (newest - minute);
  return at < 0 ? { minute: newest, counts } : { minute: newest, counts: counts.with(at, (counts[at] ?? 0) + 1) };
}

/** The same with `minute` as the newest, when it is newer. */
function movedTo(activity: Activity, minute: number): Activity {
  const passed = minute - activity.minute;
  if (passed <= 0) return activity;
  const kept = activity.counts.slice(Math.min(passed, activityMinutes));
  return { minute, counts: [...kept, ...quiet.slice(0, activityMinutes - kept.length)] };
}

const bars = [..."▁▂▃▄▅▆▇█"];

/** The last `width` minutes as a line: a bar for each minute with something, a dot for each without. */
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
