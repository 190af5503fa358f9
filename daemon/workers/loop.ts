import { setTimeout as pauseFor } from "node:timers/promises";
import { createRest } from "../../src/base/lifecycle/pause.ts";
import type { Log } from "../../src/base/log/log.ts";

/** A background worker as the supervisor sees it. Status responses use its name. */
export interface Worker {
  readonly name: string;
  /** No picture is processed without a critical worker, so readiness requires it. */
  readonly critical: boolean;
  /** A worker without a heartbeat for this long counts as stuck and is restarted. */
  readonly stuckAfterMs: number;
  /** Starts it. Rejects on failure; the supervisor retries later. */
  start(): Promise<void>;
  /** Stops it; must be safe after a failed start. */
  stop(): Promise<void>;
  /** Monotonic time of its last heartbeat, in milliseconds. */
  heartbeat(): number;
  /** Its current message, such as the reason why it waits. */
  message?(): string | null;
}

/** A worker that repeats a round. `round` resolves to the milliseconds until the next round at the latest. */
export interface LoopOptions {
  readonly name: string;
  readonly critical: boolean;
  readonly stuckAfterMs?: number;
  readonly log: Log;
  /** One round. An error is logged, and the next round follows after `retryMs`. */
  readonly round: (signal: AbortSignal) => Promise<number>;
  readonly retryMs?: number;
  /** Pause after every round, even if woken, so that work arriving in the meantime is done together. */
  readonly restMs?: number;
  /** The status message of the running worker. */
  readonly message?: () => string | null;
}

/** A loop that can be woken early. */
export interface Loop extends Worker {
  wake(): void;
}

/** Creates a worker that repeats a round. Rounds never overlap; a wake during a round starts another one right after it. */
export function createLoop(options: LoopOptions): Loop {
  const { log } = options;
  let beat = performance.now();
  let abort = new AbortController();
  let done: Promise<void> | undefined;
  let woken = false;
  const rest = createRest();
  let failing = false;

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      woken = false;
      beat = performance.now();
      let pause = options.retryMs ?? 1_000;
      try {
        pause = await options.round(signal);
        if (failing) log.info({ worker: options.name }, "works again");
        failing = false;
      } catch (error) {
        if (signal.aborted) return;
        // Only the first of consecutive failures is logged.
        if (!failing) log.warn({ worker: options.name, error: String(error) }, "a round failed; trying again");
        failing = true;
      }
      beat = performance.now();
      if (options.restMs !== undefined && !signal.aborted) await pauseFor(options.restMs);
      if (!woken && !signal.aborted) await rest.sleep(Math.max(0, Math.min(pause, 60_000)));
    }
  };

  return {
    name: options.name,
    critical: options.critical,
    stuckAfterMs: options.stuckAfterMs ?? 90_000,
    heartbeat: () => beat,
    message: () => options.message?.() ?? null,
    wake: () => {
      woken = true;
      rest.end();
    },
    start: async () => {
      abort = new AbortController();
      beat = performance.now();
      done = run(abort.signal);
    },
    stop: async () => {
      abort.abort();
      rest.end();
      await done;
    },
  };
}
