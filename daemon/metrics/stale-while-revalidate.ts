import { setTimeout } from "node:timers/promises";
import type { HomeMetrics } from "../../src/admin/system/home-metrics.ts";
import type { Disks } from "../../src/platform/disk/disk.ts";

/** Sources that may answer slowly. Undefined: the source does not answer, so its value is unknown. */
export interface SlowSources {
  figures(): Promise<HomeMetrics | undefined>;
  disks(): Promise<Disks>;
}

/** Maximum wait of a scrape for a value that it already had before. */
const maxWaitMs = 25;

/** Returns the next answer of `fetch`, or the previous one if the next takes too long. Waits only for the first answer. */
export function staleWhileRevalidate<T>(fetch: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let last: T | undefined;
  let pending: Promise<T | undefined> | undefined;
  return async () => {
    pending ??= fetch()
      .then((value) => {
        last = value;
        return value;
      })
      .finally(() => {
        pending = undefined;
      });
    if (last === undefined) return await pending;
    const timeout = new AbortController();
    try {
      return await Promise.race([pending, setTimeout(maxWaitMs, last, { signal: timeout.signal, ref: false })]);
    } finally {
      timeout.abort();
    }
  };
}
