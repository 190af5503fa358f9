import { sweepMs } from "./hand-over.ts";

/** Looks for work whenever it is woken, and once in a while without. */
export interface Looking {
  wake(): void;
  /** Monotonic milliseconds of the last look's begin. */
  lastLook(): number;
  /** Looks no more, once the look under way has ended. */
  stop(): Promise<void>;
}

/**
 * Calls `look` at once, on each wake and every second, never twice at a time: a wake during a look makes one more follow, as
 * does a look that resolves to true. `sweepDue` says whether a second has passed since it last said so. What `look` throws is
 * passed to `onError`, and ends this round.
 */
export function lookForWork(look: (sweepDue: () => boolean) => Promise<boolean>, onError: (error: unknown) => void): Looking {
  let looking: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let sweepAt = 0;
  let lastLook = performance.now();

  const sweepDue = (): boolean => {
    if (lastLook < sweepAt) return false;
    sweepAt = lastLook + sweepMs;
    return true;
  };
  const round = async (): Promise<void> => {
    do {
      again = false;
      lastLook = performance.now();
      try {
        again = (await look(sweepDue)) || again;
      } catch (error) {
        onError(error);
        return;
      }
    } while (again && !stopped);
  };
  const wake = (): void => {
    if (stopped) return;
    if (looking) {
      again = true;
      return;
    }
    looking = round().finally(() => {
      looking = undefined;
    });
  };

  const timer = setInterval(wake, sweepMs);
  wake();
  return {
    wake,
    lastLook: () => lastLook,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await looking;
    },
  };
}
