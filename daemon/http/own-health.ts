import type { RequestHandler } from "express";
import { Problem } from "../../src/contract/problem.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes/index.ts";

/** What a daemon answers in any case: how it is itself. Monitoring asks each daemon by its own address. */
const own = new Set<string>([
  ...Object.values<Route>(routes)
    .filter(({ tier }) => tier === "none")
    .map(({ path }) => path),
  routes.listWorkers.path,
  routes.listDaemons.path,
]);

/** Refuses all but questions about the daemon itself: it has not the role `api`. Another one answers the rest, so a client that asks it next is right. */
export function ownHealthOnly(roles: string): RequestHandler {
  return (request, _response, next) => {
    if (own.has(request.path)) return next();
    throw new Problem("unavailable", `This daemon has the roles ${roles} and answers only how it is itself; ask one with the role api`);
  };
}
