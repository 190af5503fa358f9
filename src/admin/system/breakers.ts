import type { z } from "zod";
import { notFound } from "../../contract/problem.ts";
import type { Breaker, BreakerReset } from "../../contract/routes/system-pipeline.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import { type BreakerState, type UpstreamName, upstreamNames } from "../../work/operations/upstream-state.ts";

/** Returns the circuit breakers of the services in use; an open one includes the time of its next trial. */
export function breakerEntries(runtime: Runtime): z.output<typeof Breaker>[] {
  return runtime.breakers().map(entryOf);
}

function entryOf({ reset_at, ...breaker }: BreakerState): z.output<typeof Breaker> {
  return { ...breaker, ...(breaker.state === "open" && reset_at !== null && { reset_at }) };
}

/** Closes a breaker and resumes the work that waited for its service. Throws `Problem("not_found")` for an unknown name. */
export async function resetBreaker(context: OperationContext, runtime: Runtime, name: string): Promise<z.output<typeof BreakerReset>> {
  const known = runtime.breakers().map((breaker) => breaker.name);
  if (!isUpstream(name) || !known.includes(name)) throw notFound("Circuit breaker", name, `there are ${known.join(", ")}`);
  const previous_state = await runtime.resetBreaker(name);
  const state = runtime.breakers().find((breaker) => breaker.name === name)?.state ?? "closed";
  const message =
    previous_state === "closed"
      ? `The circuit breaker of ${name} was closed already`
      : `The circuit breaker of ${name} is closed; the service is asked again`;
  return { name, previous_state, state, message, timestamp: context.clock.now() };
}

function isUpstream(name: string): name is UpstreamName {
  return (upstreamNames as readonly string[]).includes(name);
}
