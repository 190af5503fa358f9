import type { Clock } from "../../base/clock/clock.ts";
import type { BreakerState, CircuitState, UpstreamName } from "../../work/operations/upstream-state.ts";

/** Thrown by `Breaker.run` instead of calling a service that is known to be down. */
export class BreakerOpen extends Error {
  override name = "BreakerOpen";
  /** When it is worth asking again. */
  readonly resetAt: Date;

  constructor(service: UpstreamName, resetAt: Date) {
    super(`${service} failed repeatedly; it is tried again at ${resetAt.toISOString()}`);
    this.resetAt = resetAt;
  }
}

export interface BreakerOptions {
  readonly clock: Clock;
  readonly failureThreshold?: number;
  readonly resetTimeoutMs?: number;
  /** Told of each move, the timed one from open to half-open when it is first noticed. Must not throw. */
  readonly onChange?: (state: BreakerState, previous: CircuitState) => void;
  /** Told of each call that came to an end. Must not throw. */
  readonly onCall?: (outcome: "success" | "failure", seconds: number) => void;
}

/** While somebody else's trial is under way, this much later is a good moment to ask again. */
const trialWaitMs = 1_000;

/**
 * Keeps a dead service from being called. Closed: calls pass, and `failureThreshold` failures in a row open it. Open:
 * calls fail at once until `resetTimeoutMs` is over, which makes it half-open. Half-open: one call passes as the trial,
 * the others fail at once; a good trial closes, a failed one opens again for the full time. An outcome of a call that
 * started before the last move says nothing about the present and moves nothing.
 *
 * A failure is what the work throws. What it returns is a success, so a service that refuses a request of ours (4xx) is
 * in good health: its client returns the refusal. A call that was given up by its caller counts as neither.
 */
export class Breaker {
  readonly name: UpstreamName;
  readonly #clock: Clock;
  readonly #failureThreshold: number;
  readonly #resetTimeoutMs: number;
  readonly #onChange: (state: BreakerState, previous: CircuitState) => void;
  readonly #onCall: NonNullable<BreakerOptions["onCall"]>;
  #state: CircuitState = "closed";
  #failures = 0;
  #lastFailure: Date | null = null;
  #lastSuccess: Date | null = null;
  #resetAt: Date | null = null;
  #openedAt = 0;
  #trial = false;
  /** Counts the moves; tells an outcome of now from one of an earlier time. */
  #era = 0;

  constructor(
    name: UpstreamName,
    { clock, failureThreshold = 3, resetTimeoutMs = 30_000, onChange = () => {}, onCall = () => {} }: BreakerOptions,
  ) {
    this.name = name;
    this.#clock = clock;
    this.#failureThreshold = failureThreshold;
    this.#resetTimeoutMs = resetTimeoutMs;
    this.#onChange = onChange;
    this.#onCall = onCall;
  }

  /**
   * Runs `work` and passes on what it returns or throws. Throws `BreakerOpen` without running it while the service is to be left alone. `signal` is the caller's own: work that fails after the
   * signal fired was given up, not failed.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#noticeTime();
    if (this.#state === "open") throw new BreakerOpen(this.name, this.#resetAt ?? this.#clock.now());
    if (this.#trial) throw new BreakerOpen(this.name, new Date(this.#clock.now().getTime() + trialWaitMs));
    this.#trial = this.#state === "half_open";
    const era = this.#era;
    const startedAt = this.#clock.monotonic();
    const seconds = (): number => (this.#clock.monotonic() - startedAt) / 1000;
    try {
      const result = await work();
      this.#onCall("success", seconds());
      this.#lastSuccess = this.#clock.now();
      if (era === this.#era) this.#succeeded();
      return result;
    } catch (error) {
      if (signal?.aborted) {
        if (era === this.#era) this.#trial = false;
      } else {
        this.#onCall("failure", seconds());
        this.#lastFailure = this.#clock.now();
        if (era === this.#era) this.#failed();
      }
      throw error;
    }
  }

  state(): BreakerState {
    this.#noticeTime();
    return {
      name: this.name,
      state: this.#state,
      failure_count: this.#failures,
      last_failure: this.#lastFailure,
      last_success: this.#lastSuccess,
      reset_at: this.#resetAt,
    };
  }

  /** Closes it whatever happened. Returns the state it was in. */
  reset(): CircuitState {
    this.#noticeTime();
    const previous = this.#state;
    this.#failures = 0;
    this.#move("closed");
    return previous;
  }

  #succeeded(): void {
    this.#failures = 0;
    if (this.#state === "half_open") this.#move("closed");
  }

  #failed(): void {
    this.#failures += 1;
    if (this.#state === "half_open" || this.#failures >= this.#failureThreshold) this.#move("open");
  }

  #noticeTime(): void {
    if (this.#state === "open" && this.#clock.monotonic() - this.#openedAt >= this.#resetTimeoutMs) this.#move("half_open");
  }

  #move(to: CircuitState): void {
    const previous = this.#state;
    this.#state = to;
    this.#era += 1;
    this.#trial = false;
    this.#openedAt = this.#clock.monotonic();
    this.#resetAt = to === "open" ? new Date(this.#clock.now().getTime() + this.#resetTimeoutMs) : null;
    if (to !== previous) this.#onChange(this.state(), previous);
  }
}
