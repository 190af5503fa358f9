/** Results that stay valid for some time. */
export interface TtlCache<T> {
  /**
   * Returns the cached result of `key` if it is younger than `ttlMs`, otherwise a new one from `make`. Concurrent callers share the new
   * one.
   */
  current(key: object, now: number, ttlMs: number, make: () => Promise<T>): Promise<T>;
  /** Drops the cached result of `key`. */
  forget(key: object): void;
}

/**
 * Caches one result per key for as long as the key exists. Times are monotonic milliseconds. Concurrent callers share a result that
 * `isPassing` accepts, but it is not cached.
 */
export function createTtlCache<T>(isPassing: (answer: T) => boolean = () => false): TtlCache<T> {
  const cached = new WeakMap<object, { readonly answer: Promise<T>; readonly madeAt: number }>();
  return {
    current: (key, now, ttlMs, make) => {
      const last = cached.get(key);
      if (last && now < last.madeAt + ttlMs) return last.answer;
      const answer = make();
      cached.set(key, { answer, madeAt: now });
      const forget = (): void => {
        if (cached.get(key)?.answer === answer) cached.delete(key);
      };
      // A failure is not cached
      answer.then((made) => isPassing(made) && forget(), forget);
      return answer;
    },
    forget: (key) => void cached.delete(key),
  };
}
