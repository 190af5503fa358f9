import { programVersion } from "../../base/version.ts";
import { Problem } from "../../contract/problem.ts";
import type { systemRoutes } from "../../contract/routes/system.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import { cleanUp } from "../retention/cleanup.ts";
import { noteCleanup } from "../retention/nightly.ts";
import { retentionOperations } from "../retention/operations.ts";
import { breakerEntries, resetBreaker } from "./breakers.ts";
import { changeConfig, configRecord } from "./config.ts";
import { currentFullHealth } from "./full-health.ts";
import { currentHealth } from "./health.ts";
import { probeModels } from "./model-probe.ts";
import { monitoringHealth, monitoringTargets, websocketHealth } from "./monitoring.ts";
import { currentPipeline } from "./pipeline.ts";
import { currentReadiness } from "./ready.ts";
import { currentStorage } from "./storage.ts";
import { currentTelemetry, pipelineLatency } from "./telemetry.ts";
import { configVariables } from "./variables.ts";

const version = programVersion();

/** The use cases behind the system routes. */
export const systemOperations: Pick<Operations, keyof typeof systemRoutes> = {
  getHome: async () => ({ time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, version }),
  alive: async () => ({ status: "alive", version }),
  apiAlive: async () => ({ status: "alive", version }),
  getHealth: async (_request, context) => await currentHealth(context, runtimeOf(context)),
  getReady: async (_request, context) => await currentReadiness(context, runtimeOf(context)),
  getWebsocketHealth: async (_request, context) => websocketHealth(runtimeOf(context)),
  getFullHealth: async (_request, context) => await currentFullHealth(context, runtimeOf(context)),
  getMonitoringHealth: async (_request, context) => await monitoringHealth(context, runtimeOf(context)),
  getMonitoringTargets: async (_request, context) => await monitoringTargets(context, runtimeOf(context)),
  getPipeline: async (_request, context) => await currentPipeline(context, runtimeOf(context)),
  getTelemetry: async (_request, context) => await currentTelemetry(context, runtimeOf(context)),
  getPipelineLatency: async ({ query }, context) => await pipelineLatency(context, query.window_minutes),
  listWorkers: async (_request, context) => ({
    workers: runtimeOf(context)
      .workers()
      .map(({ name, running, message }) => ({ name, running, message })),
  }),
  listDaemons: async (_request, context) => ({
    daemons: runtimeOf(context)
      .daemons()
      .map(({ processId, startedAt, host, pid, version: itsVersion, roles, singletons }) => ({
        ...{ daemon_id: processId, host, pid, version: itsVersion, started_at: startedAt },
        ...{ roles: [...roles], singletons: [...singletons] },
      })),
  }),
  listBreakers: async (_request, context) => ({ breakers: breakerEntries(runtimeOf(context)) }),
  resetBreaker: async ({ params }, context) => await resetBreaker(context, runtimeOf(context), params.name),
  getConfig: async (_request, { settings }) => configRecord(settings.current()),
  listVariables: async (_request, context) => await configVariables(context),
  updateConfig: async ({ body }, context) => await changeConfig(context, body),
  ...retentionOperations,
  getStorage: async (_request, context) => await currentStorage(context),
  cleanUp: async ({ query }, context) => {
    // A dry run stops when its client disconnects; a real cleanup continues.
    const report = await cleanUp(context, {
      dryRun: query.dry_run,
      ...(query.dry_run && context.caller && { signal: context.caller.gone }),
    });
    if (!query.dry_run) await context.db.query((sql) => noteCleanup(sql, report.timestamp));
    return report;
  },
  runSelftest: async ({ query }, context) => await runtimeOf(context).selftest({ timeoutMs: query.timeout_seconds * 1_000 }),
  probeModels: async ({ query }, context) => await probeModels(context, query.timeout_seconds * 1_000),
  getMetrics: async (_request, context) => ({
    mediaType: "text/plain; version=0.0.4; charset=utf-8",
    content: { buffer: Buffer.from(await runtimeOf(context).metrics()) },
  }),
};

/** Returns the state of the running daemon. Throws `Problem("invalid")` where none is running. */
export function runtimeOf(context: OperationContext): Runtime {
  if (context.runtime) return context.runtime;
  throw new Problem("invalid", "Only the running daemon knows this; start it with `homesec serve`, and ask without --direct");
}
