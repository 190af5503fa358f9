import type { Clock } from "../../src/base/clock/clock.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { JournalEntry } from "../../src/contract/live.ts";
import type { WorkerState } from "../../src/work/operations/runtime.ts";
import type { Worker } from "./loop.ts";

const checkEveryMs = 500;
const firstBackoffMs = 500;
const longestBackoffMs = 60_000;
/** A worker that ran for at least this long before it failed restarts with the shortest backoff. */
const steadyAfterMs = 60_000;
const stopTimeoutMs = 2_500;
const restartTimeoutMs = 5_000;
/** A slower start, such as one that waits for a hanging disk, continues while the next worker starts. */
const startTimeoutMs = 5_000;

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

interface SupervisorOptions {
  readonly workers: readonly Worker[];
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: (entry: JournalEntry) => Promise<void>;
}

/** Creates a supervisor for the workers. `announce` stores and broadcasts each change of a worker's state. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { clock } = options;
  const workers = options.workers.map((worker) => new SupervisedWorker(worker, options));
  let timer: NodeJS.Timeout | undefined;
  let lastCheck = Number.NEGATIVE_INFINITY;

  const check = (): void => {
    lastCheck = clock.monotonic();
    for (const worker of workers) worker.check(lastCheck);
  };

  return {
    start: async () => {
      for (const worker of workers) await worker.start();
      check();
      timer = setInterval(check, checkEveryMs);
    },
    stop: async () => {
      clearInterval(timer);
      await Promise.all(workers.toReversed().map((worker) => worker.stop()));
    },
    states: () => workers.map((worker) => worker.state()),
    alive: () => clock.monotonic() - lastCheck < 10 * checkEveryMs,
  };
}

/**
 * A worker under supervision. `starting` becomes `running`. A failed start and a missing heartbeat lead to `stopped`, and after the backoff
 * to `restarting`, which becomes `running` again. `stop` ends with `stopped` for good.
 */
class SupervisedWorker {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #announceEntry: SupervisorOptions["announce"];
  #state: "starting" | "running" | "restarting" | "stopped" = "stopped";
  #message: string | null = null;
  #failures = 0;
  #startedAt = 0;
  #retryAt = 0;
  /** The last start, which never rejects. No other start happens until it ends. */
  #starting: Promise<void> | undefined;
  #stopping = false;

  constructor(worker: Worker, { clock, log, announce }: SupervisorOptions) {
    this.#worker = worker;
    this.#clock = clock;
    this.#log = log.child({ worker: worker.name });
    this.#announceEntry = announce;
  }

  state(): WorkerState {
    const { name, critical } = this.#worker;
    return { name, running: this.#state === "running", critical, message: this.#message ?? this.#worker.message?.() ?? null };
  }

  /** Starts the worker and waits for a while. A hanging start continues, since a second one could run the worker twice. */
  async start(): Promise<void> {
    const started = this.#start();
    this.#starting = started;
    try {
      await within(startTimeoutMs, () => started);
    } catch {
      if (this.#state !== "starting") return;
      this.#message = `its start has taken more than ${startTimeoutMs / 1000} s and continues`;
      this.#log.error({ why: this.#message }, "a worker did not start in time");
      this.#announce();
    }
  }

  /** Restarts the worker if its heartbeat is missing, or if the backoff after a failure is over. */
  check(now: number): void {
    const silentMs = now - this.#worker.heartbeat();
    if (this.#state === "running" && silentMs > this.#worker.stuckAfterMs) this.#fail(`no heartbeat for ${Math.round(silentMs / 1000)} s`);
    if (this.#state === "stopped" && now >= this.#retryAt) this.#starting = this.#restart();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    try {
      await within(stopTimeoutMs, async () => {
        await this.#starting;
        await this.#worker.stop();
      });
    } catch (error) {
      this.#log.warn({ error: String(error) }, "a worker did not stop in time");
    }
    this.#state = "stopped";
    this.#message = "stopped";
  }

  async #start(): Promise<void> {
    this.#state = this.#failures === 0 ? "starting" : "restarting";
    try {
      await this.#worker.start();
      // The stop waits for this start.
      if (this.#stopping) return;
      const wasDown = this.#message !== null;
      this.#state = "running";
      this.#message = null;
      this.#startedAt = this.#clock.monotonic();
      if (!wasDown) return;
      this.#log.info({}, "the worker runs again");
      this.#announce();
    } catch (error) {
      if (!this.#stopping) this.#fail(`could not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #restart(): Promise<void> {
    this.#state = "restarting";
    try {
      await within(restartTimeoutMs, () => this.#worker.stop());
    } catch (error) {
      this.#log.warn({ error: String(error) }, "the old run of the worker did not stop in time");
    }
    if (!this.#stopping) await this.#start();
  }

  /** Records a failure and plans the restart. */
  #fail(why: string): void {
    // A failed start does not count as steady work, however long ago the worker last ran.
    if (this.#state === "running" && this.#clock.monotonic() - this.#startedAt > steadyAfterMs) this.#failures = 0;
    const backoff = Math.min(firstBackoffMs * 2 ** this.#failures, longestBackoffMs);
    this.#failures += 1;
    this.#state = "stopped";
    this.#message = why;
    this.#retryAt = this.#clock.monotonic() + backoff;
    this.#log.error({ why, retry_ms: backoff }, "a worker is down; it will be restarted");
    this.#announce();
  }

  #announce(): void {
    const { critical: _, ...data } = this.state();
    this.#announceEntry({ type: "worker_status", data }).catch((error: unknown) =>
      this.#log.warn({ error: String(error) }, "could not announce the worker's state"),
    );
  }
}
