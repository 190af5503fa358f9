import type { RequestHandler } from "express";

/** What a page may send beside what every page may. */
const allowedHeaders = "Content-Type, X-API-Key, X-Request-ID, If-None-Match, If-Modified-Since, Range";
const allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
/** What a page may read of an answer beside its body. */
const exposedHeaders = [
  ...["Accept-Ranges", "Content-Disposition", "Content-Length", "Content-Range", "Deprecation", "ETag"],
  ...["Retry-After", "X-Ignored-Parameters", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-ID"],
].join(", ");
/** For so long a browser need not ask again; none takes more than two hours. */
const preflightSeconds = 600;

/**
 * Lets pages of these origins use the API from a browser, without cookies. Their preflight requests are answered here,
 * before limits and keys: they carry no key, and ask for nothing.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    if (allowed.size === 0) return next();
    // also where no origin was sent: a cache must not give that answer to a page
    response.vary("Origin");
    const { origin } = request.headers;
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
    // a page of the internet that asks a machine of the house
    if (request.headers["access-control-request-private-network"] === "true") {
      response.setHeader("Access-Control-Allow-Private-Network", "true");
    }
    response.statusCode = 204;
    response.end();
  };
}
