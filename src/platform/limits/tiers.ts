import type { Tier } from "../../contract/route.ts";
import type { Config } from "../config/config.ts";

/** The tiers that have a limit. */
export type LimitedTier = Exclude<Tier, "none">;

/** Number of requests that one client may make per minute. */
export interface Allowance {
  readonly requestsPerMinute: number;
  readonly burst: number;
}

type RateVariables = Pick<Config, Extract<keyof Config, `rateLimit${string}`>>;

/** Returns the allowance of each tier. `RATE_LIMIT_BURST` is the burst of `default` only; bursts without a variable are fixed. */
export function allowancesOf(config: RateVariables): Readonly<Record<LimitedTier, Allowance>> {
  return {
    default: { requestsPerMinute: config.rateLimitRequestsPerMinute, burst: config.rateLimitBurst },
    media: { requestsPerMinute: config.rateLimitMediaRequestsPerMinute, burst: 10 },
    websocket: { requestsPerMinute: config.rateLimitWebsocketConnectionsPerMinute, burst: 2 },
    search: { requestsPerMinute: config.rateLimitSearchRequestsPerMinute, burst: 10 },
    export: { requestsPerMinute: config.rateLimitExportRequestsPerMinute, burst: 0 },
    ai_inference: { requestsPerMinute: config.rateLimitAiInferenceRequestsPerMinute, burst: config.rateLimitAiInferenceBurst },
    bulk: { requestsPerMinute: config.rateLimitBulkRequestsPerMinute, burst: config.rateLimitBulkBurst },
  };
}
