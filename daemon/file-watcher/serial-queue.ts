import type { Log } from "../../src/base/log/log.ts";
import { Fifo } from "./fifo.ts";

/** Runs jobs one after the other. A job that fails is logged, and the next one runs. */
export class SerialQueue {
  readonly #log: Log;
  readonly #name: string;
  #jobs = new Fifo<() => Promise<void>>();
  #draining: Promise<void> | undefined;
  #stopped = false;

  constructor(log: Log, name: string) {
    this.#log = log;
    this.#name = name;
  }

  push(job: () => Promise<void>): void {
    if (this.#stopped) return;
    this.#jobs.push(job);
    this.#draining ??= this.#drain();
  }

  /** Resolves when the queue is empty and no job runs. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  /** Drops the queued jobs and waits for the running one. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#jobs = new Fifo();
    await this.idle();
  }

  async #drain(): Promise<void> {
    // the caller of push continues before the first job starts
    await Promise.resolve();
    for (let job = this.#jobs.shift(); job; job = this.#jobs.shift()) {
      try {
        await job();
      } catch (error) {
        this.#log.warn({ doing: this.#name, error: String(error) }, "reading folders failed; homesec retries");
      }
    }
    this.#draining = undefined;
  }
}
