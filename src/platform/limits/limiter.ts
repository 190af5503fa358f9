import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Store } from "../store/store.ts";
import type { Allowance, LimitedTier } from "./tiers.ts";

/** Length of the sliding window. */
export const windowSeconds = 60;
const keepSeconds = 70;

/** A request that exceeds the limit. */
export interface Excess {
  readonly tier: LimitedTier;
  /** Number of requests per client and window, burst included. */
  readonly total: number;
  /** Time when the window is empty if no more requests arrive. */
  readonly resetAt: Date;
}

/** Counts requests per tier and client. */
export interface Limiter {
  /** Counts one request and resolves to its excess, if it exceeds the limit. Allows everything while the store is down. */
  count(tier: LimitedTier, client: string): Promise<Excess | undefined>;
}

export interface LimiterOptions {
  readonly store: Store;
  readonly allowances: Readonly<Record<LimitedTier, Allowance>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates a limiter with its counters in the store. Refused requests count as well. */
export function createLimiter({ store, allowances, clock, log }: LimiterOptions): Limiter {
  let failing = false;
  return {
    count: async (tier, client) => {
      const { requestsPerMinute, burst } = allowances[tier];
      const total = requestsPerMinute + burst;
      const at = clock.now().getTime();
      const rule = { windowMs: windowSeconds * 1_000, max: total, keepMs: keepSeconds * 1_000 };
      let allowed = true;
      try {
        allowed = await store.hit(`${tier}:${client}`, at, rule);
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ error: String(error) }, "requests cannot be counted; none is refused until the store is available");
        failing = true;
      }
      return allowed ? undefined : { tier, total, resetAt: new Date(at + windowSeconds * 1_000) };
    },
  };
}
