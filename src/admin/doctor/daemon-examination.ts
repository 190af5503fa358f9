import { dirname } from "node:path";
import process from "node:process";
import { createSemaphore, type Semaphore } from "../../base/async/semaphore.ts";
import { programVersion } from "../../base/version.ts";
import { receiverRoutes } from "../../contract/routes/receivers.ts";
import { systemRoutes } from "../../contract/routes/system.ts";
import { receiverOperations } from "../../monitoring/receivers/operations.ts";
import type { ParsedConfig } from "../../platform/config/config.ts";
import { crossChecks } from "../../platform/config/cross-checks.ts";
import { variableNames } from "../../platform/config/variables.ts";
import type { Database } from "../../platform/database/database.ts";
import { createDirectClientOf } from "../../work/operations/direct-client.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import { systemOperations } from "../system/operations.ts";
import type { AnsweringDaemon, Examination, Readable } from "./examination.ts";
import { type Machine, thisMachine } from "./machine.ts";
import { once, schemaOf } from "./schema.ts";
import { findShares } from "./shares.ts";

/** What checks ask of a daemon. */
const routesOfChecks = { ...systemRoutes, ...receiverRoutes };
const operationsOfChecks = { ...systemOperations, ...receiverOperations };

/**
 * The input of the checks in a running daemon: its own values, its connections and its answers, without HTTP. Queries that still wait when
 * the signal aborts are dropped.
 */
export function daemonExamination(context: OperationContext, runtime: Runtime, signal: AbortSignal): Examination {
  const { config, clock, settings } = context;
  const machine = machineOf(runtime);
  const { migrations, rows } = schemaOf(async () => context.db);
  const inTurn = takingTurns(context.db, signal);
  const daemon: AnsweringDaemon = {
    url: addressHere(runtime.url()),
    version: runtime.version,
    client: createDirectClientOf(routesOfChecks, operationsOfChecks, context),
    admitted: true,
    isNear: true,
  };
  return {
    machine,
    isDaemon: true,
    clock,
    // the installed version, which is another one after an update without a restart
    version: programVersion(),
    parsed: parsedOf(context, runtime),
    config: () => config,
    shares: once(async () => await findShares(machine, config)),
    isForeign: async () => false,
    holder: async () => ({ pid: process.pid, lives: true }),
    database: async () => context.db,
    migrations,
    rows: async () => {
      await rows();
      return inTurn;
    },
    settings: async () => settings.current(),
    lookForDaemon: async () => daemon,
    daemon: async () => daemon,
  };
}

function machineOf(runtime: Runtime): Machine {
  const [envFile, configPath] = runtime.configuration()?.files ?? [];
  return thisMachine({ env: runtime.environment(), cwd: envFile === undefined ? process.cwd() : dirname(envFile), configPath });
}

/** The values in force. Without files that the daemon follows, no source is known. */
function parsedOf({ config }: OperationContext, runtime: Runtime): ParsedConfig {
  const loaded = runtime.configuration();
  if (loaded) return { config, sources: loaded.sources, warnings: loaded.warnings };
  const sources = Object.fromEntries(variableNames.map((name) => [name, "default"])) as ParsedConfig["sources"];
  return { config, sources, warnings: crossChecks(config).warnings };
}

/** A client cannot connect to a wildcard address. */
function addressHere(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/**
 * Connections that the checks of rows take together from the daemon's pool, those of an earlier run whose queries hang included. Checks of
 * the server itself wait for none of them.
 */
const maxQueries = 2;
const queues = new WeakMap<Database, Semaphore>();

/** The database with a few queries at a time, so that the work of the daemon always finds a connection. */
function takingTurns(db: Database, signal: AbortSignal): Readable {
  const queue = queues.get(db) ?? createSemaphore({ max: maxQueries });
  queues.set(db, queue);
  return { query: (work) => queue.run(() => db.query(work), signal) };
}
