interface Step {
  readonly name: string;
  readonly stop: () => Promise<unknown> | unknown;
  readonly timeoutMs: number;
  readonly ownTime: boolean;
}

/** Time for the whole stop. After it, each remaining step without `ownTime` gets only `lastMomentMs`. */
const allWithinMs = 4_000;
const lastMomentMs = 100;

/** A stack of named things to stop. Each thing is pushed as soon as it starts, so that a start that fails halfway can be undone. */
export class Lifecycle {
  readonly #steps: Step[] = [];
  #stopping: Promise<void> | undefined;

  /**
   * Registers how to stop something that has just started. With `ownTime` it gets its full `timeoutMs`, whatever other steps took: for
   * steps that cost more when interrupted than when waited for. Throws once stopping has begun.
   */
  onStop(name: string, stop: () => Promise<unknown> | unknown, timeoutMs = 2_000, { ownTime = false } = {}): void {
    if (this.#stopping) throw new Error(`${name} started while stopping`);
    this.#steps.push({ name, stop, timeoutMs, ownTime });
  }

  /**
   * Stops everything, last started first; a second call waits for the first. A step that fails or exceeds its time does not prevent the
   * others; once the total time is used up, each remaining step without `ownTime` gets only a moment. Rejects with one AggregateError
   * that names the failed steps.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    const failures: Error[] = [];
    const deadline = performance.now() + allWithinMs;
    for (const step of this.#steps.toReversed()) {
      try {
        const leftMs = step.ownTime ? step.timeoutMs : Math.max(deadline - performance.now(), lastMomentMs);
        await within(Math.min(step.timeoutMs, leftMs), async () => step.stop());
      } catch (cause) {
        failures.push(new Error(`stopping ${step.name} failed`, { cause }));
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, failures.map((failure) => `${failure.message}: ${failure.cause}`).join("; "));
  }
}

/** Runs `work` and waits at most `timeoutMs`; then it rejects (with `overrun`, if given), and the work continues unobserved. */
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
