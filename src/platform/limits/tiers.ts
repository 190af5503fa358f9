import type { Tier } from "../../contract/route.ts";
import type { Config } from "../config/config.ts";

/** The tiers that have a limit. */
export type LimitedTier = Exclude<Tier, "none">;

/** Number of requests that one client may make per minute. */
export interface Allowance {
  readonly requestsPerMinute: number;
  readonly burst: number;
}

/**
 * The allowances of each session of a browser and, in a home that asks nobody for a key, of the web page at each address: a page with 60
 * thumbnails must not use up the limit of a minute. They need no variables.
 */
export const sessionAllowances: Readonly<Record<LimitedTier, Allowance>> = {
  default: { requestsPerMinute: 600, burst: 100 },
  media: { requestsPerMinute: 600, burst: 200 },
  websocket: { requestsPerMinute: 60, burst: 10 },
  search: { requestsPerMinute: 120, burst: 20 },
  export: { requestsPerMinute: 10, burst: 0 },
  ai_inference: { requestsPerMinute: 20, burst: 5 },
  bulk: { requestsPerMinute: 60, burst: 10 },
};

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
