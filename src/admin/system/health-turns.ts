import { createSemaphore } from "../../base/async/semaphore.ts";
import type { Config } from "../../platform/config/config.ts";

/** Lets at most so many pieces of work run at a time; the others wait for their turn. */
export interface HealthTurns {
  /** Runs the work when it is its turn. Rejects when the signal fires, which also ends the turn, done or not. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Makes turns for so many at a time. */
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

/** The turns of all health checks of a daemon: `MAX_CONCURRENT_HEALTH_CHECKS` at a time, whoever asks for them. */
export function healthTurns(config: Config): HealthTurns {
  const known = turnsOf.get(config);
  if (known) return known;
  const turns = createHealthTurns(config.maxConcurrentHealthChecks);
  turnsOf.set(config, turns);
  return turns;
}
