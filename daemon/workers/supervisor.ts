import type { Clock } from "../../src/base/clock/clock.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { JournalEntry } from "../../src/contract/live.ts";
import type { WorkerState } from "../../src/work/operations/runtime.ts";
import type { Worker } from "./worker.ts";

const checkEveryMs = 500;
const firstBackoffMs = 500;
const longestBackoffMs = 60_000;
/** A worker that ran for at least this long before it failed restarts with the shortest backoff. */
const steadyAfterMs = 60_000;
const stopPatienceMs = 2_500;
/** A slower start, such as one that waits for a hanging disk, continues while the next worker starts. */
const startPatienceMs = 5_000;

interface Charge {
  readonly worker: Worker;
  state: "starting" | "running" | "restarting" | "stopped";
  message: string | null;
  failures: number;
  startedAt: number;
  retryAt: number;
  /** The last start, which never rejects. No other start happens until it ends. */
  starting: Promise<void> | undefined;
}

/** Keeps workers alive: starts them, watches their heartbeats, and restarts stuck and failed ones. */
export interface Supervisor {
  /** Starts all workers in order. A worker whose start fails or hangs does not keep the others from starting. */
  start(): Promise<void>;
  /** Stops all workers, last started first, and waits for them together, at most 2.5 s. */
  stop(): Promise<void>;
  states(): readonly WorkerState[];
  /** Tells whether every worker was started or tried, and the supervisor itself ran a moment ago. */
  alive(): boolean;
}

/** Creates a supervisor for the workers. `announce` stores and broadcasts each change of a worker's state. */
export function createSupervisor(options: {
  readonly workers: readonly Worker[];
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: (entry: JournalEntry) => Promise<void>;
}): Supervisor {
  const { clock, log } = options;
  const charges: Charge[] = options.workers.map((worker) => ({
    worker,
    state: "stopped",
    message: null,
    failures: 0,
    startedAt: 0,
    retryAt: 0,
    starting: undefined,
  }));
  let timer: NodeJS.Timeout | undefined;
  let lastCheck = Number.NEGATIVE_INFINITY;
  let stopping = false;

  const stateOf = (charge: Charge): WorkerState => ({
    name: charge.worker.name,
    running: charge.state === "running",
    critical: charge.worker.critical,
    message: charge.message ?? charge.worker.message?.() ?? null,
  });

  const announce = (charge: Charge): void => {
    const { critical: _, ...data } = stateOf(charge);
    options
      .announce({ type: "worker_status", data })
      .catch((error: unknown) => log.warn({ worker: charge.worker.name, error: String(error) }, "could not announce the worker's state"));
  };

  const startOne = async (charge: Charge): Promise<void> => {
    charge.state = charge.failures === 0 ? "starting" : "restarting";
    try {
      await charge.worker.start();
      // The stop waits for this start.
      if (stopping) return;
      const wasDown = charge.message !== null;
      charge.state = "running";
      charge.message = null;
      charge.startedAt = clock.monotonic();
      if (wasDown) {
        log.info({ worker: charge.worker.name }, "the worker runs again");
        announce(charge);
      }
    } catch (error) {
      if (!stopping) plan(charge, `could not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  /** Starts a worker and waits for a while. A hanging start continues, since a second one could run the worker twice. */
  const startInTurn = async (charge: Charge): Promise<void> => {
    const started = startOne(charge);
    charge.starting = started;
    try {
      await within(startPatienceMs, () => started);
    } catch {
      if (charge.state !== "starting") return;
      charge.message = `its start has taken more than ${startPatienceMs / 1000} s and continues`;
      log.error({ worker: charge.worker.name, why: charge.message }, "a worker did not start in time");
      announce(charge);
    }
  };

  const plan = (charge: Charge, why: string): void => {
    // A failed start does not count as steady work, however long ago the worker last ran.
    if (charge.state === "running" && clock.monotonic() - charge.startedAt > steadyAfterMs) charge.failures = 0;
    const backoff = Math.min(firstBackoffMs * 2 ** charge.failures, longestBackoffMs);
    charge.failures += 1;
    charge.state = "stopped";
    charge.message = why;
    charge.retryAt = clock.monotonic() + backoff;
    log.error({ worker: charge.worker.name, why, retry_ms: backoff }, "a worker is down; it will be restarted");
    announce(charge);
  };

  const restart = async (charge: Charge): Promise<void> => {
    charge.state = "restarting";
    try {
      await within(5_000, () => charge.worker.stop());
    } catch (error) {
      log.warn({ worker: charge.worker.name, error: String(error) }, "the old run of the worker did not stop in time");
    }
    if (!stopping) await startOne(charge);
  };

  const stopForGood = async (charge: Charge): Promise<void> => {
    try {
      await within(stopPatienceMs, async () => {
        await charge.starting;
        await charge.worker.stop();
      });
    } catch (error) {
      log.warn({ worker: charge.worker.name, error: String(error) }, "a worker did not stop in time");
    }
    charge.state = "stopped";
    charge.message = "stopped";
  };

  const check = (): void => {
    lastCheck = clock.monotonic();
    for (const charge of charges) {
      const silentMs = lastCheck - charge.worker.heartbeat();
      if (charge.state === "running" && silentMs > charge.worker.stuckAfterMs) {
        plan(charge, `no heartbeat for ${Math.round(silentMs / 1000)} s`);
      }
      if (charge.state === "stopped" && lastCheck >= charge.retryAt) {
        charge.starting = restart(charge);
      }
    }
  };

  return {
    start: async () => {
      for (const charge of charges) await startInTurn(charge);
      check();
      timer = setInterval(check, checkEveryMs);
    },
    stop: async () => {
      stopping = true;
      clearInterval(timer);
      await Promise.all(charges.toReversed().map(stopForGood));
    },
    states: () => charges.map(stateOf),
    alive: () => clock.monotonic() - lastCheck < 10 * checkEveryMs,
  };
}
