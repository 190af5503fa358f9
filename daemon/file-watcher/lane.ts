import type { Log } from "../../src/base/log/log.ts";
import { Fifo } from "./fifo.ts";

/** Jobs that run one after the other. */
export interface Lane {
  push(job: () => Promise<void>): void;
  /** Resolves when nothing is left. */
  idle(): Promise<void>;
  /** Drops what waits, and waits for what runs. */
  stop(): Promise<void>;
}

/** Makes a lane. A job that fails is logged, and the next one runs. */
export function createLane(log: Log, name: string): Lane {
  let jobs = new Fifo<() => Promise<void>>();
  let busy: Promise<void> | undefined;
  let stopped = false;

  const drain = async (): Promise<void> => {
    // whoever pushed goes on before the first job begins
    await Promise.resolve();
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      try {
        await job();
      } catch (error) {
        log.warn({ doing: name, error: String(error) }, "looking through folders failed; it is tried again");
      }
    }
    busy = undefined;
  };

  const idle = async (): Promise<void> => {
    while (busy) await busy;
  };

  return {
    push: (job) => {
      if (stopped) return;
      jobs.push(job);
      busy ??= drain();
    },
    idle,
    stop: async () => {
      stopped = true;
      jobs = new Fifo();
      await idle();
    },
  };
}
