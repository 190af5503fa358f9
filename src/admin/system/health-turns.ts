import { createSemaphore } from "../../base/async/semaphore.ts";
import type { Config } from "../../platform/config/config.ts";

/** Limits the number of concurrent health checks; the others wait. */
export interface HealthTurns {
  /** Runs the work once a slot is free. Rejects when the signal is aborted, which also frees the slot. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Creates a limiter with this many slots. */
export function createHealthTurns(atATime: number): HealthTurns {
  const turns = createSemaphore({ max: atATime });
  return {
    run: async (work, signal) =>
      await turns.run(async () => {
        const aborted = new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
        return await Promise.race([work(), aborted]);
      }, signal),
  };
}

const turnsOf = new WeakMap<Config, HealthTurns>();

/** Returns the limiter that all health checks of a daemon share: `MAX_CONCURRENT_HEALTH_CHECKS` at a time. */
export function healthTurns(config: Config): HealthTurns {
  const known = turnsOf.get(config);
  if (known) return known;
  const turns = createHealthTurns(config.maxConcurrentHealthChecks);
  turnsOf.set(config, turns);
  return turns;
}
