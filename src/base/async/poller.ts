/** Interval between two polls without a wake, in milliseconds. */
export const sweepMs = 1_000;

/** Polls for work when woken, and every second without a wake. */
export interface Poller {
  wake(): void;
  /** Monotonic time of the last poll's start, in milliseconds. */
  lastPollAt(): number;
  /** Stops polling and waits for the poll that runs. */
  stop(): Promise<void>;
}

/**
 * Calls `poll` at once, on each wake and every second, and never twice at a time. A wake during a poll causes one more, and so does
 * a poll that resolves to true. `sweepDue` is true once per second. An error that `poll` throws goes to `onError` and ends the round.
 */
export function startPoller(poll: (sweepDue: () => boolean) => Promise<boolean>, onError: (error: unknown) => void): Poller {
  let polling: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let sweepAt = 0;
  let lastPollAt = performance.now();

  const sweepDue = (): boolean => {
    if (lastPollAt < sweepAt) return false;
    sweepAt = lastPollAt + sweepMs;
    return true;
  };
  const round = async (): Promise<void> => {
    do {
      again = false;
      lastPollAt = performance.now();
      try {
        again = (await poll(sweepDue)) || again;
      } catch (error) {
        onError(error);
        return;
      }
    } while (again && !stopped);
  };
  const wake = (): void => {
    if (stopped) return;
    if (polling) {
      again = true;
      return;
    }
    polling = round().finally(() => {
      polling = undefined;
    });
  };

  const timer = setInterval(wake, sweepMs);
  wake();
  return {
    wake,
    lastPollAt: () => lastPollAt,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await polling;
    },
  };
}
