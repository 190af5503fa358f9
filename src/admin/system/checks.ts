import type { z } from "zod";
import type { Silence } from "../../alerting/silences/silence.ts";
import { activeSilences } from "../../alerting/silences/silences-repository.ts";
import type { CheckResult } from "../../contract/routes/system-health.ts";
import type { DiskName, DiskSpace, Disks } from "../../platform/disk/disk.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import type { UpstreamState } from "../../work/operations/upstream-state.ts";
import { healthTurns } from "./health-turns.ts";

/** So many are told of. */
const mostSilences = 20;

/** The result of asking one dependency whether it works. */
export type Check<T> =
  | { readonly ok: true; readonly value: T; readonly latencyMs: number }
  | { readonly ok: false; readonly error: string; readonly latencyMs: number };

/**
 * Does the work, but waits at most `timeoutMs` for it: what hangs counts as failed, and never holds up the answer. The
 * signal that the work gets fires then.
 */
export async function check<T>(
  { clock }: OperationContext,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Check<T>> {
  const begun = clock.monotonic();
  const latencyMs = (): number => Math.round((clock.monotonic() - begun) * 100) / 100;
  const deadline = new AbortController();
  const overdue = new Promise<never>((_, fail) => {
    deadline.signal.addEventListener("abort", () => fail(deadline.signal.reason), { once: true });
  });
  const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    const value = await Promise.race([work(deadline.signal), overdue]);
    return { ok: true, value, latencyMs: latencyMs() };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error), latencyMs: latencyMs() };
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the database answers a statement. */
export function checkDatabase(context: OperationContext): Promise<Check<unknown>> {
  return gated(context, () => context.db.query((sql) => sql`select 1 as one`));
}

/** Whether the store answers, and with which version. */
export function checkStore(context: OperationContext): Promise<Check<string>> {
  return gated(context, () => context.store.version());
}

/** What the upstream services say of themselves. Each probe takes its own turn among the checks. */
export function checkUpstreams(context: OperationContext, runtime: Runtime): Promise<Check<readonly UpstreamState[]>> {
  return check(context, timeoutMs(context), () => runtime.probeUpstreams());
}

/** Which silences hold alerts back now. */
export function checkSilences(context: OperationContext): Promise<Check<readonly Silence[]>> {
  return gated(context, () => context.db.query((sql) => activeSilences(sql, context.clock.now(), mostSilences)));
}

/** How full the disks are, as far as they tell: the one with the data folder, and that with the pictures where it is another. */
export async function checkDisks(context: OperationContext, runtime: Runtime): Promise<Disks> {
  const [data, pictures] = await Promise.all([gated(context, () => runtime.disk()), gated(context, () => runtime.pictureDisk())]);
  const disks = new Map<DiskName, DiskSpace>();
  if (data.ok) disks.set("data", data.value);
  if (pictures.ok && pictures.value) disks.set("pictures", pictures.value);
  return disks;
}

/** A check as clients see it. */
export function resultOf(done: Check<unknown>): z.output<typeof CheckResult> {
  return { status: done.ok ? "healthy" : "unhealthy", latency_ms: done.latencyMs, error: done.ok ? null : done.error };
}

const timeoutMs = (context: OperationContext): number => context.config.healthCheckTimeoutSeconds * 1000;

/** A check that waits for its turn among all checks; waiting counts as part of its time. */
function gated<T>(context: OperationContext, work: () => Promise<T>): Promise<Check<T>> {
  return check(context, timeoutMs(context), (signal) => healthTurns(context.config).run(work, signal));
}
