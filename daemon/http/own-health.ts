import type { RequestHandler } from "express";
import { Problem } from "../../src/contract/problem.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes/index.ts";

/** Paths that every daemon answers: its own health. Monitoring asks each daemon at its own address. */
const healthPaths = new Set<string>([
  ...Object.values<Route>(routes)
    .filter(({ tier }) => tier === "none")
    .map(({ path }) => path),
  routes.listWorkers.path,
  routes.listDaemons.path,
]);

/** Refuses all requests except those about the daemon's own health, because it lacks the role `api`. Clients can try another daemon. */
export function healthOnly(roles: string): RequestHandler {
  return (request, _response, next) => {
    if (healthPaths.has(request.path)) return next();
    throw new Problem("unavailable", `This daemon has the roles ${roles} and only reports its own health; ask a daemon with the role api`);
  };
}
