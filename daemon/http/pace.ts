/** What an asker takes of a long answer. */
export interface Pace {
  /** So much more was taken. */
  took(bytes: number): void;
  /** Waits for what is made for him; that time is not his. */
  making<T>(part: Promise<T>): Promise<T>;
  end(): void;
}

/**
 * Calls `onSlow` when less than `leastBytes` were taken in a time of `everyMs` in which they were there to be taken for the most part. Somebody who
 * takes a little now and then would otherwise hold what his answer needs for days.
 */
export function watchPace({
  everyMs,
  leastBytes,
  onSlow,
}: {
  readonly everyMs: number;
  readonly leastBytes: number;
  readonly onSlow: () => void;
}): Pace {
  let taken = 0;
  let makingMs = 0;
  let makingSince: number | undefined;
  const timer = setInterval(() => {
    const now = performance.now();
    if (makingSince !== undefined) {
      makingMs += now - makingSince;
      makingSince = now;
    }
    if (taken < leastBytes && makingMs < everyMs / 2) onSlow();
    taken = 0;
    makingMs = 0;
  }, everyMs);
  timer.unref();
  return {
    took: (bytes) => {
      taken += bytes;
    },
    making: async (part) => {
      makingSince = performance.now();
      try {
        return await part;
      } finally {
        makingMs += performance.now() - makingSince;
        makingSince = undefined;
      }
    },
    end: () => clearInterval(timer),
  };
}
