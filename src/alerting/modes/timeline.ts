import type { eventKinds } from "../../contract/constants.ts";
import { initialMode, type ModeAt } from "./mode.ts";

/** The facts that decide the mode of an event. */
export interface EventTimes {
  readonly kind: (typeof eventKinds)[number];
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** A switch of the mode. */
export interface Switch extends ModeAt {
  readonly since: Date;
  readonly previous: string;
}

/** The modes of the home over time. */
export interface Timeline {
  /** Returns the mode that was in effect at a time. */
  at(time: Date): ModeAt;
}

/** Creates the timeline of these switches, oldest first. Before the first one, the home was in the mode that it switched from. */
export function createTimeline(switches: readonly Switch[]): Timeline {
  const [first] = switches;
  const before: ModeAt = first ? { ...initialMode, name: first.previous } : initialMode;
  return {
    at(time) {
      let [low, high] = [0, switches.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((switches[middle] as Switch).since <= time) low = middle + 1;
        else high = middle;
      }
      return switches[low - 1] ?? before;
    },
  };
}

/**
 * Returns the mode that an event counts for: the mode when it began. If that mode has an entry delay and a person switched within it after
 * the event, the new mode counts, because a resident came home. An incident lasts, so the mode now counts.
 */
export function modeOfEvent(
  timeline: Timeline,
  { kind, startedAt, endedAt }: EventTimes,
  { entryDelays, now }: { readonly entryDelays: ReadonlyMap<string, number>; readonly now: Date },
): ModeAt {
  if (kind === "camera_health") return timeline.at(now);
  const mode = timeline.at(startedAt < now ? startedAt : now);
  const entryMs = (entryDelays.get(mode.name) ?? 0) * 1000;
  if (entryMs === 0) return mode;
  return timeline.at(new Date(Math.min(now.getTime(), Math.max(startedAt.getTime(), endedAt.getTime() + entryMs))));
}
