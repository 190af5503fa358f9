import type { RequestHandler } from "express";
import type { Route } from "../../src/contract/route.ts";
import type { Keyring } from "../../src/platform/keys/keyring.ts";
import { requireKey } from "./authenticate.ts";
import { limitRate, type RateLimit } from "./rate-limit.ts";

/** What stands before every route. Absent parts let everything pass. */
export interface GateOptions {
  readonly rateLimit?: RateLimit | undefined;
  readonly keyring?: Keyring | undefined;
}

/** What a request asks for, as far as it matters who may and how often. */
export type Asked = Pick<Route, "tier" | "auth"> & Partial<Pick<Route, "tag">>;

/** The handlers that a request must pass before a route looks at it: first the limit, then the key. */
export type Gate = (asked: Asked) => readonly RequestHandler[];

/** What is no route is as protected as one: who has no key learns nothing about paths. */
export const noRoute: Asked = {};

/** The gate of a daemon; without a limiter or a keyring it lets through what that would look at. */
export function createGate({ rateLimit, keyring }: GateOptions): Gate {
  return ({ tier = "default", auth = "key", tag }) => [
    ...(rateLimit && tier !== "none" ? [limitRate(tier, rateLimit, tag === "analytics" ? "sentence" : "record")] : []),
    ...(keyring && auth === "key" ? [requireKey(keyring)] : []),
  ];
}
