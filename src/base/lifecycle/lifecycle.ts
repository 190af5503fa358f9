interface Step {
  readonly name: string;
  readonly stop: () => Promise<unknown> | unknown;
  readonly timeoutMs: number;
  readonly ownTime: boolean;
}

/** All steps but those with their own time together take no longer than this, and a moment for each step that is left. */
const allWithinMs = 4_000;
const lastMomentMs = 100;

/** A stack of named things to stop. Whatever starts is pushed at once, so that a start that fails half way can be undone. */
export class Lifecycle {
  readonly #steps: Step[] = [];
  #stopping: Promise<void> | undefined;

  /**
   * Registers how to stop what has just been started. With `ownTime` it has all of `timeoutMs`, whatever the others took: for what costs more when
   * it is cut off than when it is waited for. Throws when stopping has begun.
   */
  onStop(name: string, stop: () => Promise<unknown> | unknown, timeoutMs = 2_000, { ownTime = false } = {}): void {
    if (this.#stopping) throw new Error(`${name} started while stopping`);
    this.#steps.push({ name, stop, timeoutMs, ownTime });
  }

  /**
   * Stops everything, last started first; a second call waits for the first. A step that fails or overruns its time
   * does not keep the others from running; when the time for all is used up, each of the rest has a moment. Rejects with one AggregateError that names the steps that went wrong.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    const failures: Error[] = [];
    const giveUpAt = performance.now() + allWithinMs;
    for (const step of this.#steps.toReversed()) {
      try {
        const leftMs = step.ownTime ? step.timeoutMs : Math.max(giveUpAt - performance.now(), lastMomentMs);
        await within(Math.min(step.timeoutMs, leftMs), async () => step.stop());
      } catch (cause) {
        failures.push(new Error(`stopping ${step.name} failed`, { cause }));
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, failures.map((failure) => `${failure.message}: ${failure.cause}`).join("; "));
  }
}

/** Runs `work` but waits at most so long; rejects when the time is over (with `overrun`, if given), and the work goes on unobserved. */
export async function within<T>(timeoutMs: number, work: () => Promise<T>, overrun?: Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsOver = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(overrun ?? new Error(`not done within ${Math.round(timeoutMs)} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work(), timeIsOver]);
  } finally {
    clearTimeout(timer);
  }
}
