import { createTtlCache } from "../../base/async/ttl-cache.ts";
import type { Cause } from "../../monitoring/incidents/incident.ts";
import { countJobs } from "../../work/jobs/jobs-repository.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { check } from "./checks.ts";
import { type CameraMetrics, cameraMetrics, type OpenCounts, openCounts, openIncidents } from "./home-metrics-repository.ts";
import { type StoredCounts, storedCounts } from "./storage-repository.ts";

/** The state of the home in the database, for external monitoring. */
export interface HomeMetrics {
  readonly queues: Awaited<ReturnType<typeof countJobs>>;
  readonly cameras: readonly CameraMetrics[];
  readonly incidents: Readonly<Record<Cause, number>>;
  readonly open: OpenCounts;
  readonly stored: StoredCounts;
}

/** Minimum interval between two queries, however many clients ask. */
const freshMs = 1_000;
/** The size of the database changes slowly, and reading it touches each of its files. */
const storedFreshMs = 60_000;

const cache = createTtlCache<HomeMetrics | undefined>((metrics) => metrics === undefined);
const storedCache = createTtlCache<StoredCounts>();

/** Returns the current metrics from indexes and stored totals; undefined while the database does not answer. */
export async function currentMetrics(context: OperationContext): Promise<HomeMetrics | undefined> {
  const { db, config, clock } = context;
  return await cache.current(db, clock.monotonic(), freshMs, async () => {
    const now = clock.now();
    const read = await check(context, config.healthCheckTimeoutSeconds * 1_000, async () => {
      const stored = await storedCache.current(db, clock.monotonic(), storedFreshMs, () => db.query(storedCounts));
      return await db.query(async (sql) => {
        const [queues, cameras, incidents, open] = await Promise.all([
          countJobs(sql, now),
          cameraMetrics(sql),
          openIncidents(sql),
          openCounts(sql, now),
        ]);
        return { queues, cameras, incidents, open, stored };
      });
    });
    return read.ok ? read.value : undefined;
  });
}
