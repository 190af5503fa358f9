import type { RequestHandler } from "express";
import type { Route } from "../../src/contract/route.ts";
import type { Keyring } from "../../src/platform/keys/keyring.ts";
import { type OnWrongKey, requireKey } from "./authenticate.ts";
import { limitRate, type RateLimit } from "./rate-limit.ts";

/** Options of the middleware before each route. Without a part, its check is skipped. */
export interface MiddlewareOptions {
  readonly rateLimit?: RateLimit | undefined;
  readonly keyring?: Keyring | undefined;
  readonly onWrongKey?: OnWrongKey | undefined;
}

/** The properties of a route that decide about access and rate limit. */
export type RouteAccess = Pick<Route, "tier" | "largeBodyTier" | "auth"> & Partial<Pick<Route, "tag">>;

/** Returns the middleware that runs before a route: first the rate limit, then the key. */
export type RouteMiddleware = (access: RouteAccess) => readonly RequestHandler[];

/** Unknown paths are protected like routes, so that a client without a key learns nothing about paths. */
export const unknownRoute: RouteAccess = {};

/** Creates the access checks of a daemon. Without a limiter or a keyring, that check is skipped. */
export function createRouteMiddleware({ rateLimit, keyring, onWrongKey }: MiddlewareOptions): RouteMiddleware {
  return ({ tier = "default", largeBodyTier, auth = "key", tag }) => [
    ...(rateLimit && tier !== "none" ? [limitRate({ tier, largeBodyTier }, rateLimit, tag === "analytics" ? "sentence" : "record")] : []),
    ...(keyring && auth === "key" ? [requireKey(keyring, onWrongKey)] : []),
  ];
}
