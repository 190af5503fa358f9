import type { Config } from "../config/config.ts";
import { createTurns } from "../lifecycle/turns.ts";

/** Lets at most so many pieces of work run at a time; the others wait for their turn. */
export interface Gate {
  /** Runs the work when it is its turn. Rejects when the signal fires, which also ends the turn, done or not. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Makes a gate for so many at a time. */
export function createGate(atATime: number): Gate {
  const turns = createTurns({ max: atATime });
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

const gates = new WeakMap<Config, Gate>();

/** The gate of all health checks of a daemon: `MAX_CONCURRENT_HEALTH_CHECKS` at a time, whoever asks for them. */
export function healthGate(config: Config): Gate {
  const known = gates.get(config);
  if (known) return known;
  const gate = createGate(config.maxConcurrentHealthChecks);
  gates.set(config, gate);
  return gate;
}
