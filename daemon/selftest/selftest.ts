import { setTimeout } from "node:timers/promises";
import { supervisorFault } from "../../src/admin/system/findings.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import { Problem } from "../../src/contract/problem.ts";
import { selftestStages } from "../../src/contract/routes/system-selftest.ts";
import { selftestProgress } from "../../src/work/selftest/selftest-repository.ts";
import { type SelftestReport, type SelftestStage, type StageState, storedStages } from "../../src/work/selftest/stages.ts";
import { workerFault } from "../cluster/merged.ts";
import { putMarkedPicture } from "./marked-picture.ts";
import { openScratch, type Scratch, type ScratchOptions } from "./scratch.ts";

const pollIntervalMs = 40;
/** Time limit for the cleanup, beyond the time of services and database. */
const cleanupTimeoutMs = 6_000;

/** Sends a picture through all stages. */
export interface Selftest {
  /** Throws `Problem("conflict")` while another one runs. Failures are in the report, not thrown. */
  run(options: { readonly timeoutMs: number }): Promise<SelftestReport>;
}

/** Creates the self-test. `onReport` receives each report, so that a failure raises an alarm. */
export function createSelftest(options: ScratchOptions & { readonly onReport: (report: SelftestReport) => Promise<void> }): Selftest {
  const { context } = options.parts;
  let running = false;
  return {
    run: async ({ timeoutMs }) => {
      requireServices(options);
      if (running) throw new Problem("conflict", "A self-test is already running; try again when it has finished");
      running = true;
      try {
        const report = await test(options, timeoutMs);
        await options
          .onReport(report)
          .catch((error: unknown) => context.log.warn({ error: String(error) }, "could not announce the result of the self-test"));
        return report;
      } finally {
        running = false;
      }
    },
  };
}

/** The test runs all stages in this process, which must be able to call both services. */
function requireServices({ parts: { peers, context } }: ScratchOptions): void {
  const missing = [
    ...(peers.roles.includes("detect") || context.settings.current().detectorUrl !== null ? [] : ["detector"]),
    ...(peers.roles.includes("analyze") || context.config.languageModelUrl !== undefined ? [] : ["language model"]),
  ];
  if (missing.length === 0) return;
  throw new Problem(
    "unavailable",
    `This daemon has the roles ${peers.roles.join(", ")} and no ${missing.join(" and no ")} to ask: ask one with the roles detect and analyze, or set DETECTOR_URL and LANGUAGE_MODEL_URL here too`,
  );
}

/** Proven stages with their times since the picture was put into its folder. */
type Proofs = Map<SelftestStage, { readonly atMs: number; readonly detail: string | null }>;
interface Fault {
  readonly stage: SelftestStage;
  readonly why: string;
}

async function test(options: ScratchOptions, timeoutMs: number): Promise<SelftestReport> {
  const { context, upstreams } = options.parts;
  const startedAt = context.clock.now();
  const startedMs = performance.now();
  const proofs: Proofs = new Map();
  let fault = deadWorkers(options);
  if (!fault) {
    proofs.set("workers", { atMs: 0, detail: null });
    const controller = new AbortController();
    let scratch: Promise<Scratch> | undefined;
    try {
      fault = await within(timeoutMs, async () => {
        scratch = openScratch(options);
        return await follow(await scratch, proofs, { deadline: startedMs + timeoutMs - 100, signal: controller.signal });
      });
    } catch (error) {
      fault = { stage: nextStage(proofs), why: error instanceof Error ? error.message : String(error) };
    } finally {
      controller.abort();
    }
    await cleanUp(options, scratch);
  }
  const stages = stageReports(proofs, fault);
  return {
    status: fault ? "failed" : "passed",
    message: fault ? `${fault.stage}: ${fault.why}` : `A picture went through all stages in ${Math.round(stages.at(-1)?.at_ms ?? 0)} ms`,
    started_at: startedAt,
    duration_ms: Math.round(performance.now() - startedMs),
    timeout_seconds: timeoutMs / 1_000,
    detector: upstreams.label("detector"),
    stages,
  };
}

/** The workers that a picture passes on its way to the recipient. */
const pipelineWorkers = [
  "file_watcher",
  "detection_worker",
  "batch_aggregator",
  "analysis_worker",
  "alert_worker",
  "journal_publisher",
  "delivery_worker",
] as const;

/** Returns the workers of the real pipeline that have no heartbeat, here or in other daemons: the test itself uses separate ones. */
function deadWorkers({ parts: { runtime, peers } }: ScratchOptions): Fault | undefined {
  const workers = runtime.workers();
  const stopped = pipelineWorkers.flatMap((name) => {
    const fault = workerFault(name, workers, peers);
    return fault === undefined ? [] : [`${name} is not running (${fault})`];
  });
  if (!runtime.supervisorAlive()) stopped.push(supervisorFault);
  return stopped.length === 0 ? undefined : { stage: "workers", why: stopped.join("; ") };
}

/** Follows the picture until the last stage is proven or one has failed. */
async function follow(
  { db, folder }: Scratch,
  proofs: Proofs,
  { deadline, signal }: { readonly deadline: number; readonly signal: AbortSignal },
): Promise<Fault | undefined> {
  await putMarkedPicture(folder);
  const uploadedAt = performance.now();
  for (;;) {
    const progress = await db.query(selftestProgress);
    const atMs = Math.round(performance.now() - uploadedAt);
    let pending: { readonly stage: SelftestStage; readonly state: StageState } | undefined;
    for (const { name, check } of storedStages) {
      if (proofs.has(name)) continue;
      const state = check(progress);
      if (state.state === "passed") {
        proofs.set(name, { atMs, detail: state.detail });
        continue;
      }
      pending = { stage: name, state };
      break;
    }
    if (!pending) return undefined;
    if (pending.state.state === "failed") return { stage: pending.stage, why: pending.state.why };
    if (performance.now() > deadline)
      return { stage: pending.stage, why: `not in time: ${pending.state.state === "waiting" ? pending.state.why : ""}` };
    await setTimeout(pollIntervalMs, undefined, { signal });
  }
}

/** Closes the scratch pipeline once it has opened, however long that takes. Leftovers are removed by the next self-test or start. */
async function cleanUp({ parts }: ScratchOptions, scratch: Promise<Scratch> | undefined): Promise<void> {
  const closing = async (): Promise<void> => {
    const opened = await scratch?.catch(() => undefined);
    await opened?.close();
  };
  try {
    await within(cleanupTimeoutMs, closing);
  } catch (error) {
    parts.context.log.warn({ error: String(error) }, "the self-test could not be cleaned up now; the next one removes its leftovers");
  }
}

const nextStage = (proofs: Proofs): SelftestStage => selftestStages.find((name) => !proofs.has(name)) ?? "published";

function stageReports(proofs: Proofs, fault: Fault | undefined): SelftestReport["stages"] {
  let before = 0;
  return selftestStages.map((name) => {
    const proof = proofs.get(name);
    if (!proof) {
      const failed = fault?.stage === name;
      return { name, status: failed ? "failed" : "not_reached", at_ms: null, took_ms: null, detail: failed ? fault.why : null };
    }
    const tookMs = proof.atMs - before;
    before = proof.atMs;
    return { name, status: "passed", at_ms: proof.atMs, took_ms: tookMs, detail: proof.detail };
  });
}
