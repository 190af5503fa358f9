import { createTtlCache } from "../../base/async/ttl-cache.ts";
import type { Cause } from "../../monitoring/incidents/incident.ts";
import { countJobs } from "../../work/jobs/jobs-repository.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { check } from "./checks.ts";
import { type CameraFigures, cameraFigures, type OpenFigures, openFigures, openIncidents } from "./figures-repository.ts";
import { type StoredFigures, storedFigures } from "./storage-repository.ts";

/** The state of the home in the database, for external monitoring. */
export interface Figures {
  readonly queues: Awaited<ReturnType<typeof countJobs>>;
  readonly cameras: readonly CameraFigures[];
  readonly incidents: Readonly<Record<Cause, number>>;
  readonly open: OpenFigures;
  readonly stored: StoredFigures;
}

/** Minimum interval between two queries, however many clients ask. */
const freshMs = 1_000;
/** The size of the database changes slowly, and reading it touches each of its files. */
const storedFreshMs = 60_000;

const kept = createTtlCache<Figures | undefined>((figures) => figures === undefined);
const keptStored = createTtlCache<StoredFigures>();

/** Returns the current metrics from indexes and stored totals; undefined while the database does not answer. */
export async function currentFigures(context: OperationContext): Promise<Figures | undefined> {
  const { db, config, clock } = context;
  return await kept.current(db, clock.monotonic(), freshMs, async () => {
    const now = clock.now();
    const read = await check(context, config.healthCheckTimeoutSeconds * 1_000, async () => {
      const stored = await keptStored.current(db, clock.monotonic(), storedFreshMs, () => db.query(storedFigures));
      return await db.query(async (sql) => {
        const [queues, cameras, incidents, open] = await Promise.all([
          countJobs(sql, now),
          cameraFigures(sql),
          openIncidents(sql),
          openFigures(sql, now),
        ]);
        return { queues, cameras, incidents, open, stored };
      });
    });
    return read.ok ? read.value : undefined;
  });
}
