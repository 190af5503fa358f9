import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { insertRule } from "../../src/alerting/rules/rules-repository.ts";
import { insertVersion } from "../../src/alerting/rules/versions-repository.ts";
import { Lifecycle } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import { ensureCameraForFolder } from "../../src/monitoring/cameras/registration.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { createInProcessDispatcher } from "../../src/platform/store/in-process-dispatcher.ts";
import { recordHeartbeat } from "../../src/work/jobs/processes-repository.ts";
import { createSchema, dropSchema, leftoverSchemas, selftestSchema } from "../../src/work/selftest/selftest-repository.ts";
import { thisProcess } from "../cluster/own-process.ts";
import { unexposedMetrics } from "../metrics/metrics.ts";
import { createPipeline } from "../pipeline/pipeline.ts";
import { createWaker } from "../pipeline/waker.ts";
import { createWatching } from "../pipeline/watching.ts";
import type { WorkerContext } from "../pipeline/worker-context.ts";
import { createPublisher } from "../workers/publisher.ts";

/** The camera of a self-test, in separate tables. */
const cameraId = "homesec-selftest";
/** A batch of one picture closes after this time. */
const batchSeconds = 1;
const connections = 4;
/** Maximum wait of the event for a hanging enrichment service: a long ENRICHMENT_WAIT_SECONDS must not look like a stalled pipeline. */
const longestEnrichmentMs = 5_000;

/** A second instance of the pipeline: the same code, services and disk, with separate tables and a separate folder. */
export interface Scratch {
  readonly db: Database;
  /** Folder for the picture. */
  readonly folder: string;
  /** Stops it and removes everything. */
  close(): Promise<void>;
}

/** Options of a scratch pipeline. */
export interface ScratchOptions {
  readonly parts: WorkerContext;
  readonly openSchema: (schema: string, max: number) => Database;
}

/** Folder of the pictures of self-tests. */
const rootOf = (parts: WorkerContext): string => join(parts.context.config.dataDir, "selftest");

/**
 * Creates tables by running the migrations in a schema of this process, with one camera and one rule that matches everything, and runs the
 * pipeline's workers on them. If that fails, rejects and removes everything.
 */
export async function openScratch({ parts, openSchema }: ScratchOptions): Promise<Scratch> {
  const schema = selftestSchema(parts.processId);
  const root = rootOf(parts);
  const lifecycle = new Lifecycle();
  try {
    await parts.context.db.transaction(async (sql) => {
      await dropSchema(sql, schema);
      await createSchema(sql, schema);
    });
    lifecycle.onStop("schema", () => parts.context.db.query((sql) => dropSchema(sql, schema)), 3_000);
    const db = openSchema(schema, connections);
    lifecycle.onStop("connections", () => db.close());
    await rm(root, { recursive: true, force: true });
    lifecycle.onStop("folder", () => rm(root, { recursive: true, force: true }));
    await prepare(parts, db, root);
    await run(parts, db, root, lifecycle);
    return { db, folder: join(root, cameraId), close: () => lifecycle.stop() };
  } catch (error) {
    await lifecycle
      .stop()
      .catch((failure: unknown) => parts.context.log.warn({ error: String(failure) }, "the self-test could not be cleaned up"));
    throw error;
  }
}

/** Removes the leftovers of self-tests whose process was killed. Resolves to their number. */
export async function removeLeftovers(parts: Pick<WorkerContext, "context">): Promise<number> {
  const { db, config } = parts.context;
  await rm(join(config.dataDir, "selftest"), { recursive: true, force: true });
  const schemas = await db.query(leftoverSchemas);
  for (const schema of schemas) await db.query((sql) => dropSchema(sql, schema));
  return schemas.length;
}

async function prepare({ context, processId, runtime }: WorkerContext, db: Database, root: string): Promise<void> {
  const { clock, log } = context;
  await mkdir(join(root, cameraId), { recursive: true });
  await migrate(db, { log: quietLog(log.child({ part: "selftest" })), clock });
  await ensureCameraForFolder(db, cameraId, { cameraRoot: root, now: clock.now() });
  await db.transaction(async (sql) => {
    await recordHeartbeat(sql, thisProcess(processId, runtime.version));
    const { id, version, created_at, updated_at, ...definition } = await insertRule(sql, matchAllRule, clock.now());
    await insertVersion(sql, id, version, definition, created_at);
  });
}

const matchAllRule = {
  name: "homesec self-test",
  kind: "event",
  enabled: true,
  severity: "low",
  risk_threshold: 0,
  object_types: null,
  camera_ids: null,
  zones: null,
  not_zones: null,
  min_size: null,
  min_confidence: null,
  modes: null,
  schedule: null,
  dedup_key_template: "{camera_id}:{rule_id}",
  cooldown_seconds: 0,
  // No recipients: the alert is stored and pushed to the clients of the scratch pipeline, which has none.
  channels: null,
  escalate: false,
  digest: false,
  immediate: false,
} as const;

const quietLog = (log: Log): Log => ({
  ...log,
  info: (fields, message) => log.debug(fields, message),
  child: (fields) => quietLog(log.child(fields)),
});

async function run(parts: WorkerContext, db: Database, root: string, lifecycle: Lifecycle): Promise<void> {
  const { upstreams } = parts;
  const { config, settings } = parts.context;
  const dispatcher = createInProcessDispatcher();
  lifecycle.onStop("dispatcher", () => dispatcher.close());
  const scratchSettings = {
    ...settings,
    current: () => ({ ...settings.current(), batchWindowSeconds: batchSeconds, batchIdleTimeoutSeconds: batchSeconds }),
  };
  const scratch: WorkerContext = {
    ...parts,
    context: {
      ...parts.context,
      db,
      // The fate of an invented picture matters only for debugging.
      log: quietLog(parts.context.log.child({ part: "selftest" })),
      settings: scratchSettings,
      config: { ...config, dataDir: root, cameraRoot: root, cameraExtraRoots: [], detectConcurrency: 1, analyzeConcurrency: 1 },
    },
    upstreams: { ...upstreams, enrichmentWaitMs: () => Math.min(upstreams.enrichmentWaitMs(), longestEnrichmentMs) },
    dispatcher,
    deliveryDispatcher: dispatcher,
    metrics: unexposedMetrics(),
  };
  const publisher = createPublisher({ db, log: parts.context.log, onPublished: () => {} });
  const pipeline = createPipeline(scratch);
  const watcher = createWatching(scratch, undefined);
  db.onCommitted(createWaker({ publisher, aggregator: pipeline.aggregator, watcher, dispatcher, deliveryDispatcher: dispatcher }));
  const { analysis, alerting, aggregator, enrichment, detection } = pipeline;
  for (const worker of [publisher, analysis, alerting, aggregator, enrichment, detection, watcher]) {
    lifecycle.onStop(worker.name, () => worker.stop());
    await worker.start();
  }
}
