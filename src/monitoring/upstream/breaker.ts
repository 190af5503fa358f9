import type { Clock } from "../../base/clock/clock.ts";
import type { BreakerState, CircuitState, UpstreamName } from "../../work/operations/upstream-state.ts";

/** Thrown by `Breaker.run` instead of calling a service that is known to be down. */
export class BreakerOpen extends Error {
  override name = "BreakerOpen";
  /** The earliest time for another call. */
  readonly resetAt: Date;

  constructor(service: UpstreamName, resetAt: Date, fault: Error | null) {
    super(`${service} failed repeatedly${fault ? ` (${fault.message})` : ""}; the breaker is open until ${resetAt.toISOString()}`);
    this.resetAt = resetAt;
  }
}

export interface BreakerOptions {
  readonly clock: Clock;
  readonly failureThreshold?: number;
  readonly resetTimeoutMs?: number;
  /** Called for each change of state; the timed change from open to half-open is reported when it is first noticed. Must not throw. */
  readonly onChange?: (state: BreakerState, previous: CircuitState) => void;
  /** Called for each finished call. Must not throw. */
  readonly onCall?: (outcome: "success" | "failure", seconds: number) => void;
}

/** Delay before the next call while another caller's trial is running. */
const trialWaitMs = 1_000;

/**
 * Circuit breaker. Closed: calls pass, and `failureThreshold` failures in a row open it. Open: calls fail at once; after
 * `resetTimeoutMs` it becomes half-open. Half-open: one call passes as the trial, the others fail at once. A successful
 * trial closes the breaker, a failed one opens it again for the full time. The outcome of a call that started before the
 * last change of state changes nothing.
 *
 * A call fails if the work throws, and succeeds if it returns. A service that refuses one request and
 * accepts others is healthy: its client returns the refusal. A call that its caller cancelled counts as neither.
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
  #fault: Error | null = null;
  #busySince: Date | null = null;
  #openedAt = 0;
  #trial = false;
  /** Counts the changes of state, to recognise outcomes of calls that started before the last change. */
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
   * Runs `work` and returns its result or throws its error. Throws `BreakerOpen` without running it while the breaker is
   * open or another trial is running. `signal` belongs to the caller: work that fails after it fired was cancelled, and
   * does not count as a failure.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#noticeTime();
    if (this.#state === "open") throw new BreakerOpen(this.name, this.#resetAt ?? this.#clock.now(), this.#fault);
    if (this.#trial) throw new BreakerOpen(this.name, new Date(this.#clock.now().getTime() + trialWaitMs), this.#fault);
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
        if (error instanceof Error) this.#fault = error;
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

  /** The error of the last failed call; null once a call succeeded or the breaker was reset. */
  fault(): Error | null {
    return this.#failures > 0 || this.#state !== "closed" ? this.#fault : null;
  }

  /** Notes whether the service asked to be called later. That is no failure, unless it goes on for long. */
  noteBusy(isBusy: boolean): void {
    this.#busySince = isBusy ? (this.#busySince ?? this.#clock.now()) : null;
  }

  /** Since when the service has accepted no request, but asked to be called later; null otherwise. */
  busySince(): Date | null {
    return this.#busySince;
  }

  /** Closes the breaker. Returns its state before. */
  reset(): CircuitState {
    this.#noticeTime();
    const previous = this.#state;
    this.#failures = 0;
    this.#busySince = null;
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
