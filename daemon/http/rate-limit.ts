import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { type Excess, type Limiter, windowSeconds } from "../../src/platform/limits/limiter.ts";
import type { LimitedTier } from "../../src/platform/limits/tiers.ts";
import type { ClientAddress } from "./client-address.ts";
import { answerDetail } from "./errors.ts";
import { statedLength } from "./large-bodies.ts";

/** The parts of an HTTP rate limit. */
export interface RateLimit {
  readonly limiter: Limiter;
  readonly clientAddress: ClientAddress;
  /** Counts the requests of browsers, for each session or page. Without it, they count for their address. */
  readonly sessionLimiter?: Limiter | undefined;
}

/** A body of more bytes counts in the tier for large bodies. */
const largeBodyBytes = 128 * 1024;

/** Counts requests per tier and answers 429 beyond the limit. `wording`: the body holds a record, or one sentence. */
export function limitRate(
  { tier, largeBodyTier = tier }: { readonly tier: LimitedTier; readonly largeBodyTier: LimitedTier | undefined },
  { limiter, clientAddress, sessionLimiter }: RateLimit,
  {
    wording,
    browserOf,
  }: { readonly wording: "record" | "sentence"; readonly browserOf: (request: IncomingMessage, address: string) => string | undefined },
): RequestHandler {
  return async (request, response, next) => {
    const isLarge = largeBodyTier !== tier && statedLength(request) > largeBodyBytes;
    const address = clientAddress(request);
    const browser = sessionLimiter && browserOf(request, address);
    const counted = isLarge ? largeBodyTier : tier;
    const excess = await (browser === undefined ? limiter.count(counted, address) : sessionLimiter?.count(counted, browser));
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
