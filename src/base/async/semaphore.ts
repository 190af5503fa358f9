export interface SemaphoreOptions {
  /** Number of slots. */
  readonly max: number;
  /** Maximum wait for a slot, and the error after it. Without it, callers wait without limit. */
  readonly timeout?: { readonly ms: number; readonly error: () => Error };
}

/** Limits concurrency; callers get slots in order of arrival. */
export interface Semaphore {
  /**
   * Waits for a slot and takes it. Resolves to a function that frees it, which must be called once. Rejects with `timeout.error()` if no
   * slot is free in time, and with the signal's reason if the signal aborts, which removes the caller from the queue.
   */
  take(signal?: AbortSignal): Promise<() => void>;
  /** Takes a slot as `take` does, runs the work and frees the slot. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Waiter {
  readonly begin: () => void;
}

/** Creates a semaphore. */
export function createSemaphore({ max, timeout }: SemaphoreOptions): Semaphore {
  const waiters: Waiter[] = [];
  let inUse = 0;

  const release = (): void => {
    const next = waiters.shift();
    // The slot passes directly to the next waiter, so that no later caller can take it first
    if (next) next.begin();
    else inUse -= 1;
  };

  const wait = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const fail = (reason: unknown): void => {
        waiters.splice(waiters.indexOf(waiter), 1);
        settle();
        reject(reason);
      };
      const onAbort = (): void => fail(signal?.reason);
      const timer = timeout && setTimeout(() => fail(timeout.error()), timeout.ms);
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = {
        begin: () => {
          settle();
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      waiters.push(waiter);
    });

  const take: Semaphore["take"] = async (signal) => {
    signal?.throwIfAborted();
    if (inUse < max) inUse += 1;
    else await wait(signal);
    return release;
  };

  return {
    take,
    run: async (work, signal) => {
      await take(signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
