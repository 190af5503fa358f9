import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { FolderTree } from "./folder-tree.ts";
import { createLane, type Lane } from "./lane.ts";
import { watchForStalls } from "./loop-stall.ts";
import type { Timings } from "./timings.ts";

const tickMs = 1_000;
/** So many events within a tick come near to what the kernel keeps for a reader that is late (16,384). */
const burstEvents = 4_096;
/** Comparing every file takes at most this part of the time. */
const compareShare = 10;
/** Between two comparisons of the folders in use. */
const activeEveryMs = 5_000;
/** Folders that are polled are compared file by file more often, since nothing else shows an overwritten file. */
const polledCompareEveryMs = 60_000;

/** When folders are looked at again: the nets below the watches. */
export interface Schedule {
  start(): void;
  stop(): Promise<void>;
  /** Every file is compared with the ledger as soon as the last comparison is long enough ago. */
  compareSoon(): void;
}

/** Makes the schedule of the rescans. `onRescan` comes with each regular rescan, `onTick` each second. */
export function createSchedule(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: Timings;
  readonly trees: () => readonly FolderTree[];
  readonly onRescan: () => void;
  readonly onTick: () => void;
}): Schedule {
  const { clock, log, timings, trees } = options;
  // one for each tree: a folder that hangs does not keep the others from being looked at
  const lanes = new Map<FolderTree, Lane>();
  const timers: NodeJS.Timeout[] = [];
  let stopWatchingStalls = (): void => {};
  let compareAt = clock.monotonic() + timings.fullRescanMs;
  let polledCompareAt = clock.monotonic() + polledCompareEveryMs;
  let earliestCompareAt = 0;
  let comparing = false;
  const checking = new Set<FolderTree>();
  let lossSuspected = false;
  let activeAt = 0;
  let inBurst = false;

  const laneOf = (tree: FolderTree): Lane => {
    const lane = lanes.get(tree) ?? createLane(log, `rescan of ${tree.path}`);
    lanes.set(tree, lane);
    return lane;
  };

  const checkAll = (which: "all" | "polled" | "at_once"): void => {
    const present = trees();
    for (const tree of lanes.keys()) if (!present.includes(tree)) lanes.delete(tree);
    for (const tree of present) {
      if (checking.has(tree) && which !== "at_once") continue;
      checking.add(tree);
      laneOf(tree).push(async () => {
        checking.delete(tree);
        await tree.check(which);
      });
    }
  };

  const compareAll = (which: readonly FolderTree[]): void => {
    if (comparing) return;
    comparing = true;
    const startedAt = clock.monotonic();
    for (const tree of which) tree.compare("all");
    Promise.all(which.map((tree) => tree.idle()))
      .catch((error: unknown) => log.error({ error: String(error) }, "comparing all files failed"))
      .finally(() => {
        comparing = false;
        const tookMs = clock.monotonic() - startedAt;
        earliestCompareAt = clock.monotonic() + compareShare * tookMs;
        log.debug({ took_ms: Math.round(tookMs) }, "every file was compared with the ledger");
      });
  };

  const eventsMayBeLost = (why: string): void => {
    log.debug({ why }, "events may be lost; looking at the folders");
    lossSuspected = true;
    lookForLost();
  };

  const lookForLost = (): void => {
    const now = clock.monotonic();
    if (!lossSuspected || now < activeAt) return;
    lossSuspected = false;
    activeAt = now + activeEveryMs;
    for (const tree of trees()) tree.compare("active");
    checkAll("at_once");
  };

  const tick = (): void => {
    const now = clock.monotonic();
    let events = 0;
    for (const tree of trees()) events += tree.takeEvents();
    if (events >= burstEvents) inBurst = true;
    else if (inBurst) {
      inBurst = false;
      eventsMayBeLost("many events came at once");
    }
    lookForLost();
    if (now >= compareAt && now >= earliestCompareAt) {
      compareAt = now + timings.fullRescanMs;
      compareAll(trees());
    } else if (now >= polledCompareAt && now >= earliestCompareAt) {
      polledCompareAt = now + polledCompareEveryMs;
      const polled = trees().filter((tree) => tree.polledFolders > 0);
      if (polled.length > 0) compareAll(polled);
    }
    options.onTick();
  };

  return {
    start: () => {
      stopWatchingStalls = watchForStalls(timings.stallMs, (stalledMs) =>
        eventsMayBeLost(`the event loop stood still for ${Math.round(stalledMs)} ms`),
      );
      timers.push(
        setInterval(tick, tickMs),
        setInterval(() => checkAll("polled"), timings.pollMs),
        setInterval(() => {
          options.onRescan();
          checkAll("all");
        }, timings.rescanMs),
      );
    },
    stop: async () => {
      stopWatchingStalls();
      for (const timer of timers) clearInterval(timer);
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
    },
    compareSoon: () => {
      compareAt = Math.min(compareAt, clock.monotonic());
    },
  };
}
