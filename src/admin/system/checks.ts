import type { z } from "zod";
import { type FailingSource, failingSources } from "../../alerting/answers/sources-repository.ts";
import { type DelayedNotifications, delayedNotifications } from "../../alerting/notifications/delayed-repository.ts";
import type { Silence } from "../../alerting/silences/silence.ts";
import { activeSilences } from "../../alerting/silences/silences-repository.ts";
import type { CheckResult } from "../../contract/routes/system-health.ts";
import { recentAnswers } from "../../monitoring/images/left-out-repository.ts";
import { unusableAnswers } from "../../monitoring/upstream/left-out.ts";
import { detectorOrigin } from "../../platform/config/detector-address.ts";
import type { DiskName, DiskSpace, Disks } from "../../platform/disk/disk.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import type { UpstreamState } from "../../work/operations/upstream-state.ts";
import { healthCheckLimiter } from "./health-check-limiter.ts";

/** Maximum number of silences listed. */
const maxSilences = 20;

/** The result of checking one dependency. */
export type Check<T> =
  | { readonly ok: true; readonly value: T; readonly latencyMs: number }
  | { readonly ok: false; readonly error: string; readonly latencyMs: number };

/**
 * Runs a check but waits at most `timeoutMs`: a check that hangs counts as failed and never delays the reply. The signal that the check
 * receives is then aborted.
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

/** Checks whether the database answers a statement. */
export function checkDatabase(context: OperationContext): Promise<Check<unknown>> {
  return limited(context, () => context.db.query((sql) => sql`select 1 as one`));
}

/** Checks whether the store answers, and returns its version. */
export function checkStore(context: OperationContext): Promise<Check<string>> {
  return limited(context, () => context.store.version());
}

/** Reads the state of the upstream services. Each probe takes its own slot among the checks. */
export function checkUpstreams(context: OperationContext, runtime: Runtime): Promise<Check<readonly UpstreamState[]>> {
  return check(context, timeoutMs(context), () => runtime.probeUpstreams());
}

/** Returns the silences that mute alerts now. */
export function checkSilences(context: OperationContext): Promise<Check<readonly Silence[]>> {
  return limited(context, () => context.db.query((sql) => activeSilences(sql, context.clock.now(), maxSilences)));
}

/** Says why the detector is of no use although it answers; undefined if it is. The built-in one always sends usable detections. */
export async function checkAnswers(context: OperationContext, upstreams: Check<readonly UpstreamState[]>): Promise<string | undefined> {
  const detector = upstreams.ok ? upstreams.value.find(({ name }) => name === "detector") : undefined;
  if (!detector?.healthy || detector.builtIn || !URL.canParse(detector.url)) return undefined;
  const origin = detectorOrigin(detector.url);
  const answers = await limited(context, () => context.db.query((sql) => recentAnswers(sql, origin, context.clock.now())));
  return answers.ok ? unusableAnswers(answers.value) : undefined;
}

/** Returns the notifications that could not be sent yet, by channel. */
export function checkNotifications(context: OperationContext): Promise<Check<readonly DelayedNotifications[]>> {
  return limited(context, () => context.db.query((sql) => delayedNotifications(sql, context.clock.now())));
}

/** Returns the services whose answers from phones cannot be read. */
export function checkSources(context: OperationContext): Promise<Check<readonly FailingSource[]>> {
  return limited(context, () => context.db.query((sql) => failingSources(sql, context.clock.now())));
}

/** Returns the space on the disks, as far as it is known: the one with the data folder, and the one with the pictures if it differs. */
export async function checkDisks(context: OperationContext, runtime: Runtime): Promise<Disks> {
  const [data, pictures] = await Promise.all([limited(context, () => runtime.disk()), limited(context, () => runtime.pictureDisk())]);
  const disks = new Map<DiskName, DiskSpace>();
  if (data.ok) disks.set("data", data.value);
  if (pictures.ok && pictures.value) disks.set("pictures", pictures.value);
  return disks;
}

/** Converts a check to its form in the API. */
export function resultOf(done: Check<unknown>): z.output<typeof CheckResult> {
  return { status: done.ok ? "healthy" : "unhealthy", latency_ms: done.latencyMs, error: done.ok ? null : done.error };
}

const timeoutMs = (context: OperationContext): number => context.config.healthCheckTimeoutSeconds * 1000;

/** Runs a check when a slot is free; the wait counts towards its time. */
function limited<T>(context: OperationContext, work: () => Promise<T>): Promise<Check<T>> {
  return check(context, timeoutMs(context), (signal) => healthCheckLimiter(context.config).run(work, signal));
}
