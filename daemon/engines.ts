import type { Lifecycle } from "../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../src/base/log/log.ts";
import type { Config } from "../src/platform/config/config.ts";
import { type OpenDatabase, openDatabase } from "../src/platform/database/open-database.ts";
import type { HandOver } from "../src/platform/store/hand-over.ts";
import { createInProcessHandOver } from "../src/platform/store/in-process-hand-over.ts";

/**
 * The embedded server writes down what it has in memory, on a slow disk for seconds. Cut off it loses nothing, but the next start goes through
 * all of its files. A service manager waits 30 s for us.
 */
const embeddedStopMs = 22_000;

/** What rows are kept in, and how they get to who works on them. */
export interface Engines {
  readonly database: OpenDatabase;
  readonly handOver: HandOver;
  readonly lanes: HandOver;
}

/** Opens the database and the hand-overs and registers how to close them. Rejects when one cannot be reached. */
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
  const handOver = await createHandOver(config, log);
  lifecycle.onStop("hand-over", () => handOver.close());
  const lanes = createInProcessHandOver();
  lifecycle.onStop("lanes", () => lanes.close());
  return { database, handOver, lanes };
}

/** BullMQ is loaded where it is used: it costs a sixth of the time of a start, and 20 MB. */
async function createHandOver({ redisUrl }: Config, log: Log): Promise<HandOver> {
  if (redisUrl === undefined) return createInProcessHandOver();
  const { createBullmqHandOver } = await import("../src/platform/store/bullmq-hand-over.ts");
  return createBullmqHandOver({ redisUrl, log: log.child({ part: "hand-over" }) });
}
