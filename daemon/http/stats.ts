/** Upper bounds of the latency buckets, in milliseconds. */
export const latencyBoundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const;

/** What the daemon tells about the requests that it has answered since its start. */
export interface RequestStats {
  readonly total: number;
  /** Number of answers by status, "0" for those that the asker did not wait for. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** Answers within each of `latencyBoundsMs`, not cumulated; one more entry for those above. */
  readonly latencyCounts: readonly number[];
  readonly latencySumMs: number;
  /** Over the last 1,024 answers; null before the first. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** Counts requests in bounded memory. */
export interface RequestCounter {
  count(status: number, milliseconds: number): void;
  stats(): RequestStats;
}

const keptLatencies = 1024;

export function createRequestCounter(): RequestCounter {
  const byStatus = new Map<number, number>();
  const latencyCounts = new Array<number>(latencyBoundsMs.length + 1).fill(0);
  const latest: number[] = [];
  let total = 0;
  let latencySumMs = 0;
  return {
    count: (status, milliseconds) => {
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      const at = latencyBoundsMs.findIndex((bound) => milliseconds <= bound);
      const bucket = at === -1 ? latencyBoundsMs.length : at;
      latencyCounts[bucket] = (latencyCounts[bucket] ?? 0) + 1;
      latest[total % keptLatencies] = milliseconds;
      total += 1;
      latencySumMs += milliseconds;
    },
    stats: () => {
      const sorted = latest.toSorted((a, b) => a - b);
      const percentile = (share: number): number | null => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
      return {
        total,
        byStatus: Object.fromEntries(byStatus),
        latencyCounts: [...latencyCounts],
        latencySumMs,
        p50Ms: percentile(0.5),
        p99Ms: percentile(0.99),
      };
    },
  };
}
