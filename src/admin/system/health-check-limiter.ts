import { createSemaphore } from "../../base/async/semaphore.ts";
import type { Config } from "../../platform/config/config.ts";

/** Limits the number of concurrent health checks; the others wait. */
export interface HealthCheckLimiter {
  /** Runs the work once a slot is free. Rejects when the signal is aborted, which also frees the slot. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Creates a limiter with this many slots. */
export function createHealthCheckLimiter(atATime: number): HealthCheckLimiter {
  const limiter = createSemaphore({ max: atATime });
  return {
    run: async (work, signal) =>
      await limiter.run(async () => {
        const aborted = new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
        return await Promise.race([work(), aborted]);
      }, signal),
  };
}

const limiterOf = new WeakMap<Config, HealthCheckLimiter>();

/** Returns the limiter that all health checks of a daemon share: `MAX_CONCURRENT_HEALTH_CHECKS` at a time. */
export function healthCheckLimiter(config: Config): HealthCheckLimiter {
  const known = limiterOf.get(config);
  if (known) return known;
  const limiter = createHealthCheckLimiter(config.maxConcurrentHealthChecks);
  limiterOf.set(config, limiter);
  return limiter;
}
