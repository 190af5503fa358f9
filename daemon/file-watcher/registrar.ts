import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { type FoundFile, type Registered, registerFiles } from "../../src/monitoring/images/register.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** Rows per transaction. Many make each cheaper, few keep a live picture from waiting behind them. */
const liveChunk = 200;
const backlogChunk = 500;
/** Backlog waits so long for company. */
const backlogGatherMs = 50;
/** Beyond this the files stay where they are, on disk, until a full scan finds them again. */
const mostWaiting = 20_000;
/** Transactions at once. Cameras beyond that wait a moment, and gather meanwhile. */
const mostFlushes = 2;
const firstRetryMs = 100;
const longestRetryMs = 5_000;

/** Hints for the rest of the daemon: rows were written. */
export interface RegisteredHint extends Registered {
  readonly cameraId: string;
  /** Of the files that were looked up, new or known. */
  readonly paths: readonly string[];
  /** How long each live picture took from its arrival to the ledger. */
  readonly watchedMs: readonly number[];
}

/** Files on their way into the ledger. */
export interface Registrar {
  push(cameraId: string, file: FoundFile): void;
  readonly size: number;
  stop(): Promise<void>;
}

interface Lane {
  readonly cameraId: string;
  live: FoundFile[];
  backlog: FoundFile[];
  busy: boolean;
  timer: NodeJS.Timeout | undefined;
  failures: number;
}

/**
 * Registers found files, camera by camera: a live picture at once, what comes meanwhile together in the next transaction; backlog in
 * chunks, when nothing live waits. While the database is away, files wait here, and `onOverflow` says that too many did.
 */
export function createRegistrar(options: {
  readonly context: { readonly db: Database; readonly clock: Clock; readonly log: Log };
  readonly onRegistered: (hint: RegisteredHint) => void;
  /** These files are in the ledger, new or known. */
  readonly onEntered: (cameraId: string, files: readonly FoundFile[]) => void;
  readonly onOverflow: () => void;
}): Registrar {
  const { context } = options;
  const lanes = new Map<string, Lane>();
  const running = new Set<Promise<void>>();
  const queue = new Set<Lane>();
  let stopped = false;

  const pump = (lane: Lane): void => {
    if (lane.busy || stopped || lane.live.length + lane.backlog.length === 0) return;
    if (running.size >= mostFlushes) {
      queue.add(lane);
      return;
    }
    clearTimeout(lane.timer);
    lane.timer = undefined;
    lane.busy = true;
    const run = flush(lane).finally(() => {
      running.delete(run);
      lane.busy = false;
      if (lane.failures === 0) queue.add(lane);
      else pumpLater(lane, Math.min(firstRetryMs * 2 ** lane.failures, longestRetryMs));
      pumpNext();
    });
    running.add(run);
  };

  /** Whoever has waited longest comes first. */
  const pumpNext = (): void => {
    for (const lane of queue) {
      if (running.size >= mostFlushes) return;
      queue.delete(lane);
      pump(lane);
    }
  };

  const pumpLater = (lane: Lane, ms: number): void => {
    lane.timer ??= setTimeout(() => {
      lane.timer = undefined;
      pump(lane);
    }, ms);
  };

  const flush = async (lane: Lane): Promise<void> => {
    const which = lane.live.length > 0 ? "live" : "backlog";
    // after a failure one by one, so that a row that cannot be stored does not hold up the others
    const most = lane.failures > 0 ? 1 : which === "live" ? liveChunk : backlogChunk;
    const files = lane[which].slice(0, most);
    try {
      const registered = await registerFiles(context, lane.cameraId, files);
      lane[which] = lane[which].slice(files.length);
      if (lane.failures > 0) context.log.info({ camera: lane.cameraId }, "pictures are registered again");
      lane.failures = 0;
      options.onEntered(lane.cameraId, files);
      if (registered.added > 0) {
        const now = context.clock.now().getTime();
        const watchedMs = files.flatMap(({ live, takenAt }) => (live ? Math.max(0, now - takenAt.getTime()) : []));
        options.onRegistered({ cameraId: lane.cameraId, paths: files.map((file) => file.path), watchedMs, ...registered });
      }
    } catch (error) {
      // to the end of the queue with it, so that what can be stored is
      lane[which] = [...lane[which].slice(files.length), ...files];
      if (lane.failures === 0)
        context.log.warn({ camera: lane.cameraId, error: String(error) }, "pictures could not be registered; trying again");
      lane.failures += 1;
    }
  };

  const laneOf = (cameraId: string): Lane => {
    let lane = lanes.get(cameraId);
    if (!lane) {
      lane = { cameraId, live: [], backlog: [], busy: false, timer: undefined, failures: 0 };
      lanes.set(cameraId, lane);
    }
    return lane;
  };

  const waiting = (): number => {
    let sum = 0;
    for (const lane of lanes.values()) sum += lane.live.length + lane.backlog.length;
    return sum;
  };

  return {
    push: (cameraId, file) => {
      if (stopped) return;
      const lane = laneOf(cameraId);
      if (lane.failures > 0 && waiting() >= mostWaiting) {
        options.onOverflow();
        return;
      }
      lane[file.live ? "live" : "backlog"].push(file);
      // while registering fails, the lane has its own time to try again
      if (lane.failures === 0 && (file.live || lane.backlog.length >= backlogChunk)) pump(lane);
      else if (!lane.busy) pumpLater(lane, backlogGatherMs);
    },
    get size() {
      return waiting();
    },
    stop: async () => {
      stopped = true;
      for (const lane of lanes.values()) clearTimeout(lane.timer);
      await Promise.all(running);
    },
  };
}
