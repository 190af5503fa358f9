export interface SemaphoreOptions {
  /** Semaphore that are lent at a time. */
  readonly max: number;
  /** For how long one waits for a turn, and what is thrown then. Without it one waits for as long as it takes. */
  readonly patience?: { readonly ms: number; readonly over: () => Error };
}

/** Who may work at a time, first come, first served. */
export interface Semaphore {
  /**
   * Waits for a turn and takes it. Returns how to give it back, which must be called once. Rejects when none came in time, and with the
   * reason of the signal when who waits has gone: he leaves the queue at once.
   */
  take(signal?: AbortSignal): Promise<() => void>;
  /** Takes a turn as `take` does, runs the work and gives the turn back. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Waiter {
  readonly begin: () => void;
}

/** Makes a queue for turns. */
export function createSemaphore({ max, patience }: SemaphoreOptions): Semaphore {
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
      const timer = patience && setTimeout(() => leave(patience.over()), patience.ms);
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

  const take: Semaphore["take"] = async (signal) => {
    signal?.throwIfAborted();
    if (lent < max) lent += 1;
    else await wait(signal);
    return giveBack;
  };

  return {
    take,
    run: async (work, signal) => {
      await take(signal);
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
  };
}
