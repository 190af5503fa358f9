/** Measures how fast a client reads a long answer. */
export interface Pace {
  /** Records that the client read more bytes. */
  took(bytes: number): void;
  /** Waits for the next part to be produced. This time does not count against the client. */
  making<T>(part: Promise<T>): Promise<T>;
  end(): void;
}

/**
 * Calls `onSlow` if the client read less than `leastBytes` within `everyMs`, unless producing the answer took most of that time. Without
 * this, a client that reads a little from time to time could hold the resources of its answer for days.
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
