import type { Lifecycle } from "../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../src/base/log/log.ts";
import type { Config } from "../src/platform/config/config.ts";
import { type OpenDatabase, openDatabase } from "../src/platform/database/open-database.ts";
import { createInProcessDispatcher } from "../src/platform/store/in-process-dispatcher.ts";
import type { JobDispatcher } from "../src/platform/store/job-dispatcher.ts";

/**
 * When it stops, the embedded server writes its memory to disk, which takes seconds on a slow disk. A kill loses nothing, but the next
 * start then reads all of its files. A service manager waits 30 s for the daemon.
 */
const embeddedStopMs = 22_000;

/** The database, and the dispatchers that hand its jobs to workers. */
export interface Engines {
  readonly database: OpenDatabase;
  readonly dispatcher: JobDispatcher;
  /** Dispatches the queue `deliver`. Its sub-queues exist only in the rows, so it always runs in this process. */
  readonly deliveryDispatcher: JobDispatcher;
}

/** Opens the database and the job dispatchers and registers how to close them. Rejects if one cannot be reached. */
export async function openEngines(config: Config, log: Log, lifecycle: Lifecycle): Promise<Engines> {
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    poolSize: config.databasePoolSize,
    log: log.child({ part: "database" }),
    ownership: "serve",
  });
  const isOurs = database.kind === "embedded";
  lifecycle.onStop("database", () => database.close(), isOurs ? embeddedStopMs : 3_000, { ownTime: isOurs });
  const dispatcher = await createDispatcher(config, log);
  lifecycle.onStop("queue", () => dispatcher.close());
  const deliveryDispatcher = createInProcessDispatcher();
  lifecycle.onStop("delivery queue", () => deliveryDispatcher.close());
  return { database, dispatcher, deliveryDispatcher };
}

/** Loads BullMQ only with Redis: it takes a sixth of the start time and 20 MB. */
async function createDispatcher({ redisUrl }: Config, log: Log): Promise<JobDispatcher> {
  if (redisUrl === undefined) return createInProcessDispatcher();
  const { createBullmqDispatcher } = await import("../src/platform/store/bullmq-dispatcher.ts");
  return createBullmqDispatcher({ redisUrl, log: log.child({ part: "queue" }) });
}
