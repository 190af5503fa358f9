import type { RequestHandler } from "express";

/** Request headers that pages may send beyond the default ones. */
const allowedHeaders = "Content-Type, X-API-Key, X-Request-ID, If-None-Match, If-Modified-Since, Range";
const allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
/** Response headers that pages may read beyond the default ones. */
const exposedHeaders = [
  ...["Accept-Ranges", "Content-Disposition", "Content-Length", "Content-Range", "Deprecation", "ETag"],
  ...["Retry-After", "X-Ignored-Parameters", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-ID"],
].join(", ");
/** How long browsers may cache a preflight answer. They all cap this at two hours or less. */
const preflightSeconds = 600;

/**
 * Allows pages of these origins to use the API and show pictures in a browser, without cookies. Answers their preflight requests before limits and keys
 * apply, because those carry no key and read no data.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    if (allowed.size === 0) return next();
    // Also set without an origin, so that a cache never serves that answer to a page.
    response.vary("Origin, Referer");
    const { origin, referer } = request.headers;
    // An `<img>` without `crossorigin` names its page in `Referer` only.
    const page = origin ?? (referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : undefined);
    if (page !== undefined && allowed.has(page)) response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    if (origin === undefined || !allowed.has(origin)) return next();
    response.setHeader("Access-Control-Allow-Origin", origin);
    const isPreflight = request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
    if (!isPreflight) {
      response.setHeader("Access-Control-Expose-Headers", exposedHeaders);
      return next();
    }
    response.setHeader("Access-Control-Allow-Methods", allowedMethods);
    response.setHeader("Access-Control-Allow-Headers", allowedHeaders);
    response.setHeader("Access-Control-Max-Age", preflightSeconds);
    // The page is on the internet and this machine on a private network.
    if (request.headers["access-control-request-private-network"] === "true") {
      response.setHeader("Access-Control-Allow-Private-Network", "true");
    }
    response.statusCode = 204;
    response.end();
  };
}
