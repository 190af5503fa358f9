/** Answers that hold for a while. */
export interface TtlCache<T> {
  /** The answer kept for `key`, if it is younger than `ttlMs`; else `make` makes a new one. Who asks meanwhile shares it. */
  current(key: object, now: number, ttlMs: number, make: () => Promise<T>): Promise<T>;
}

/**
 * Keeps one answer for each key as long as the key lives. Times are monotonic milliseconds. What `isPassing` is shared by
 * those who ask meanwhile, and not kept.
 */
export function createTtlCache<T>(isPassing: (answer: T) => boolean = () => false): TtlCache<T> {
  const kept = new WeakMap<object, { readonly answer: Promise<T>; readonly madeAt: number }>();
  return {
    current: (key, now, ttlMs, make) => {
      const last = kept.get(key);
      if (last && now < last.madeAt + ttlMs) return last.answer;
      const answer = make();
      kept.set(key, { answer, madeAt: now });
      const forget = (): void => {
        if (kept.get(key)?.answer === answer) kept.delete(key);
      };
      // an answer that could not be made is nobody's for the next seconds
      answer.then((made) => isPassing(made) && forget(), forget);
      return answer;
    },
  };
}
