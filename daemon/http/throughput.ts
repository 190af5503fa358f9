/** Measures how fast a client reads a long answer. */
export interface ThroughputMonitor {
  /** Records that the client read more bytes. */
  read(bytes: number): void;
  /** Waits for the next part to be produced. This time does not count against the client. */
  producing<T>(part: Promise<T>): Promise<T>;
  end(): void;
}

/**
 * Calls `onSlow` if the client read less than `minBytes` within `intervalMs`, unless producing the answer took most of that time. Without
 * this, a client that reads a little from time to time could hold the resources of its answer for days.
 */
export function monitorThroughput({
  intervalMs,
  minBytes,
  onSlow,
}: {
  readonly intervalMs: number;
  readonly minBytes: number;
  readonly onSlow: () => void;
}): ThroughputMonitor {
  let readBytes = 0;
  let producingMs = 0;
  let producingSince: number | undefined;
  const timer = setInterval(() => {
    const now = performance.now();
    if (producingSince !== undefined) {
      producingMs += now - producingSince;
      producingSince = now;
    }
    if (readBytes < minBytes && producingMs < intervalMs / 2) onSlow();
    readBytes = 0;
    producingMs = 0;
  }, intervalMs);
  timer.unref();
  return {
    read: (bytes) => {
      readBytes += bytes;
    },
    producing: async (part) => {
      producingSince = performance.now();
      try {
        return await part;
      } finally {
        producingMs += performance.now() - producingSince;
        producingSince = undefined;
      }
    },
    end: () => clearInterval(timer),
  };
}
