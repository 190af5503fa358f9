import { DatabaseUnavailable } from "./pg-errors.ts";

export interface TurnOptions {
  /** Turns that are lent at a time. */
  readonly max: number;
  /** For how long one waits for a turn. */
  readonly waitMs: number;
}

/** Who may work at a time, first come, first served. */
export interface Turns {
  /**
   * Waits for a turn and takes it. Returns how to give it back, which must be called once. Rejects with `DatabaseUnavailable` when none
   * came in time, and with the reason of the signal when who waits has gone: he leaves the queue at once.
   */
  take(signal?: AbortSignal): Promise<() => void>;
}

interface Waiter {
  readonly begin: () => void;
}

/** Makes a queue for turns. */
export function createTurns({ max, waitMs }: TurnOptions): Turns {
  const waiters: Waiter[] = [];
  let lent = 0;

  const giveBack = (): void => {
    const next = waiters.shift();
    // the turn goes from hand to hand, so that nobody who comes meanwhile is before the one who waits
    if (next) next.begin();
    else lent -= 1;
  };

  const wait = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        waiters.splice(waiters.indexOf(waiter), 1);
        settle();
        reject(reason);
      };
      const onGone = (): void => leave(signal?.reason);
      const timer = setTimeout(
        () => leave(new DatabaseUnavailable(`${max} long answers are being read, and none has ended for ${waitMs / 1000} s`)),
        waitMs,
      );
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onGone);
      };
      const waiter: Waiter = {
        begin: () => {
          settle();
          resolve();
        },
      };
      signal?.addEventListener("abort", onGone, { once: true });
      waiters.push(waiter);
    });

  return {
    take: async (signal) => {
      signal?.throwIfAborted();
      if (lent < max) lent += 1;
      else await wait(signal);
      return giveBack;
    },
  };
}
