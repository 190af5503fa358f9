/** How often something may happen: `perSecond` on average, `burst` at once. */
export interface TokenRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket: it starts full, each use takes a token, and tokens come back at a constant rate. */
export class TokenBucket {
  readonly #rate: TokenRate;
  #tokens: number;
  #filledAt: number;

  /** `now`: milliseconds of a clock that never goes back, as for `take`. */
  constructor(rate: TokenRate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  /** Takes tokens, all or none. Returns false if there are too few. */
  take(now: number, count = 1): boolean {
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1_000) * perSecond);
    this.#filledAt = now;
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }
}
