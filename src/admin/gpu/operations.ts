import { createTtlCache } from "../../base/async/ttl-cache.ts";
import { hourMs } from "../../base/clock/clock.ts";
import type { gpuRoutes } from "../../contract/routes/system-gpu.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { type GpuStats, noGpu } from "./gpu.ts";
import { gpuHistory, latestGpuStats } from "./gpu-repository.ts";

/** An older sample says nothing about the current state. */
const freshMs = 20_000;

const intervalSeconds = { "1m": 60, "5m": 300, "15m": 900, "1h": 3600 } as const;

const cache = createTtlCache<GpuStats>();

/** The use cases of the graphics card's metrics. */
export const gpuOperations: Pick<Operations, keyof typeof gpuRoutes> = {
  getGpuStats: (_request, { db, clock, config }) =>
    cache.current(config, clock.monotonic(), config.healthCacheTtlSeconds * 1000, async () => {
      const since = new Date(clock.now().getTime() - freshMs);
      return (await db.query((sql) => latestGpuStats(sql, since))) ?? noGpu;
    }),

  getGpuHistory: async ({ query: { hours, interval } }, { db, clock }) => {
    const since = new Date(clock.now().getTime() - hours * hourMs);
    const items = await db.query((sql) => gpuHistory(sql, since, intervalSeconds[interval]));
    return { items: [...items], interval, hours, count: items.length };
  },
};
