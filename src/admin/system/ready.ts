import type { z } from "zod";
import type { WithStatus } from "../../contract/answer.ts";
import type { CheckResult, ReadyReply } from "../../contract/routes/system-health.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import { checkDatabase, checkStore, resultOf } from "./checks.ts";
import { stoppedWorkers, supervisorFault } from "./findings.ts";

type Ready = z.output<typeof ReadyReply>;
type Result = z.output<typeof CheckResult>;

/**
 * Returns whether this daemon fulfils its roles and pictures are processed where that is its part: every check must pass. `status` is
 * `ready`, `degraded`, or `not_ready` without the database.
 */
export async function currentReadiness(context: OperationContext, runtime: Runtime): Promise<Ready | WithStatus<Ready>> {
  const [database, store] = await Promise.all([checkDatabase(context), checkStore(context)]);
  const workers = runtime.workers();
  // Other daemons' work counts towards the overall health only: a restart there must not take this daemon out of a load balancer.
  const stopped = stoppedWorkers(workers.filter(({ elsewhere }) => !elsewhere));
  const checks = {
    database: resultOf(database),
    store: resultOf(store),
    pipeline_workers: result(stopped.map(({ name, message }) => `${name}: ${message ?? "does not run"}`).join("; ")),
    supervisor: result(runtime.supervisorAlive() ? "" : supervisorFault),
  };
  const ready = Object.values(checks).every(({ status }) => status === "healthy");
  const reply: Ready = {
    ready,
    status: ready ? "ready" : database.ok ? "degraded" : "not_ready",
    checks,
    workers: workers.map(({ name, running, message }) => ({ name, running, message })),
  };
  return ready ? reply : { status: 503, reply };
}

/** A check that needs no request. */
function result(error: string): Result {
  return { status: error === "" ? "healthy" : "unhealthy", latency_ms: null, error: error === "" ? null : error };
}
