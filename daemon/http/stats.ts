import type { RequestStats } from "../../src/work/operations/runtime.ts";

/** Counts requests in bounded memory. */
export interface RequestCounter {
  count(status: number, milliseconds: number): void;
  stats(): RequestStats;
}

const maxLatencies = 1024;

/** Creates a counter. Calls `onAnswer` with the duration of each answer in milliseconds. */
export function createRequestCounter(onAnswer: (milliseconds: number) => void = () => {}): RequestCounter {
  const byStatus = new Map<number, number>();
  const latest: number[] = [];
  let total = 0;
  return {
    count: (status, milliseconds) => {
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      latest[total % maxLatencies] = milliseconds;
      total += 1;
      onAnswer(milliseconds);
    },
    stats: () => {
      const sorted = latest.toSorted((a, b) => a - b);
      const percentile = (share: number): number | null => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
      return {
        total,
        byStatus: Object.fromEntries(byStatus),
        p50Ms: percentile(0.5),
        p99Ms: percentile(0.99),
      };
    },
  };
}
