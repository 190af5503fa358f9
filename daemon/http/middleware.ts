import type { RequestHandler } from "express";
import type { Need } from "../../src/contract/access.ts";
import type { Route } from "../../src/contract/route.ts";
import { type AcceptedKeys, countedBrowser, type OnWrongKey, type Protected, requireKey } from "./authenticate.ts";
import { limitRate, type RateLimit } from "./rate-limit.ts";

/** Options of the middleware before each route. Without a part, its check is skipped. */
export interface MiddlewareOptions extends AcceptedKeys {
  readonly rateLimit?: RateLimit | undefined;
  readonly onWrongKey?: OnWrongKey | undefined;
  /** Checks signed addresses of pictures, which need a key otherwise. Without it, pictures are open (`MEDIA_REQUIRES_KEY=false`). */
  readonly signatureOf?: Protected["signatureOf"];
}

/** The properties of a route that decide about access and rate limit. */
export type RouteAccess = Pick<Route, "tier" | "largeBodyTier" | "auth"> & Partial<Pick<Route, "tag">>;

/** Returns the middleware that runs before a route: first the rate limit, then the key. `need`: the role of a named key; default: any. */
export type RouteMiddleware = (access: RouteAccess, need?: Need) => readonly RequestHandler[];

/** Unknown paths are protected like routes, so that a client without a key learns nothing about paths. */
export const unknownRoute: RouteAccess = {};

/** Creates the access checks of a daemon. Without a limiter or any keys, that check is skipped. */
export function createRouteMiddleware({ rateLimit, keyring, namedKeys, onWrongKey, signatureOf }: MiddlewareOptions): RouteMiddleware {
  const keyChecks = (auth: RouteAccess["auth"], need: Need | undefined): readonly RequestHandler[] => {
    const isSignable = auth === "media" && signatureOf !== undefined;
    const needsKey = auth === "key" || isSignable;
    if (!(keyring && needsKey) && !namedKeys) return [];
    return [requireKey({ keyring, namedKeys }, { needsKey, need, signatureOf: isSignable ? signatureOf : undefined }, onWrongKey)];
  };
  return ({ tier = "default", largeBodyTier, auth = "key", tag }, need) => [
    ...(rateLimit && tier !== "none"
      ? [
          limitRate({ tier, largeBodyTier }, rateLimit, {
            wording: tag === "analytics" ? "sentence" : "record",
            browserOf: (request, address) => countedBrowser(request, { keyring, namedKeys }, address),
          }),
        ]
      : []),
    ...keyChecks(auth, need),
  ];
}
