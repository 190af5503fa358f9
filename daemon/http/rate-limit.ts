import type { RequestHandler } from "express";
import { type Excess, type Limiter, windowSeconds } from "../../src/platform/limits/limiter.ts";
import type { LimitedTier } from "../../src/platform/limits/tiers.ts";
import type { ClientAddress } from "./client-address.ts";
import { answerDetail } from "./errors.ts";

/** The parts of an HTTP rate limit. */
export interface RateLimit {
  readonly limiter: Limiter;
  readonly clientAddress: ClientAddress;
}

/** Counts requests per tier and answers 429 beyond the limit. `wording`: the body holds a record, or one sentence. */
export function limitRate(tier: LimitedTier, { limiter, clientAddress }: RateLimit, wording: "record" | "sentence"): RequestHandler {
  return async (request, response, next) => {
    const excess = await limiter.count(tier, clientAddress(request));
    if (!excess) return next();
    response.setHeader("Retry-After", windowSeconds);
    response.setHeader("X-RateLimit-Limit", excess.total);
    response.setHeader("X-RateLimit-Remaining", 0);
    response.setHeader("X-RateLimit-Reset", Math.ceil(excess.resetAt.getTime() / 1_000));
    const message = sentenceOf(excess);
    answerDetail(
      response,
      429,
      wording === "sentence" ? message : { error: "Too many requests", message, retry_after_seconds: windowSeconds, tier: excess.tier },
    );
  };
}

function sentenceOf({ tier, total }: Excess): string {
  return `Rate limit exceeded: at most ${total} requests of tier ${tier} in ${windowSeconds} seconds; wait and try again`;
}
