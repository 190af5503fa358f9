import { createSemaphore, type Semaphore, type SemaphoreOptions } from "./semaphore.ts";

/** Limits concurrency for each key separately. */
export interface KeyedSemaphore {
  /** Runs the work with a slot of its key; waits and rejects as `Semaphore.run` does. */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Creates a semaphore for each key, with the same options. A key that no one uses takes no memory. */
export function createKeyedSemaphore(options: SemaphoreOptions): KeyedSemaphore {
  const inUse = new Map<string, { readonly semaphore: Semaphore; users: number }>();
  return {
    run: async (key, work, signal) => {
      const entry = inUse.get(key) ?? { semaphore: createSemaphore(options), users: 0 };
      inUse.set(key, entry);
      entry.users += 1;
      try {
        return await entry.semaphore.run(work, signal);
      } finally {
        entry.users -= 1;
        if (entry.users === 0) inUse.delete(key);
      }
    },
  };
}
