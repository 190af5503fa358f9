import express, { type Express, type Request } from "express";
import type { Log } from "../../src/base/log/log.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes/index.ts";
import type { OperationContext, Operations } from "../../src/work/operations/operation.ts";
import { allowOrigins } from "./cors.ts";
import { refuseForeignWrites } from "./cross-site.ts";
import { answerErrors, noSuchPath } from "./errors.ts";
import { createGate, type GateOptions, noRoute } from "./gate.ts";
import { checkHost } from "./host.ts";
import { type AnyOperation, mountRoutes } from "./mount.ts";
import { observe } from "./observe.ts";
import { ownHealthOnly } from "./own-health.ts";
import { assignRequestId } from "./request-id.ts";
import { securityHeaders } from "./security-headers.ts";
import { createRequestCounter, type RequestCounter } from "./stats.ts";

export interface AppOptions extends GateOptions {
  readonly context: OperationContext;
  readonly log: Log;
  /** `ALLOWED_HOSTS`: names beyond those that always pass. */
  readonly allowedHosts: readonly string[];
  /** `CORS_ORIGINS`: whose pages may use the API in a browser. */
  readonly corsOrigins?: readonly string[];
  /** The roles of a daemon that is not there for the API, in words: it answers only how it is itself. */
  readonly rolesWithoutApi?: string | undefined;
  /** Where answers are counted. */
  readonly counter?: RequestCounter;
  /** Under test: a reply that does not fit its schema is an error. In production it is logged and goes out stripped. */
  readonly strictReplies?: boolean;
}

/** The HTTP API as an Express application that listens nowhere yet. */
export function createApp(options: AppOptions & { readonly operations: Operations }): Express {
  return createAppOf(routes, options.operations, options);
}

/** The same with routes of one's own. */
export function createAppOf(
  ownRoutes: Readonly<Record<string, Route>>,
  operations: Operations | Readonly<Record<string, AnyOperation>>,
  {
    context,
    log,
    allowedHosts,
    corsOrigins = [],
    counter = createRequestCounter(),
    strictReplies = false,
    rolesWithoutApi,
    ...gateOptions
  }: AppOptions,
): Express {
  const app = express();
  const gate = createGate(gateOptions);
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  // the order in which a request passes: nothing is looked at before it has an id and is counted
  app.use(assignRequestId);
  app.use(observe(log, counter));
  app.use(securityHeaders());
  app.use(checkHost(allowedHosts));
  app.use(allowOrigins(corsOrigins));
  app.use(refuseForeignWrites(corsOrigins));
  if (rolesWithoutApi !== undefined) app.use(ownHealthOnly(rolesWithoutApi));
  const nowhere = express.Router().use(...gate(noRoute), (request: Request) => {
    throw noSuchPath(request.path);
  });
  app.use((request, response, next) => (isReadable(request.path) ? next() : nowhere(request, response, next)));
  mountRoutes(app, ownRoutes, operations, { context, log, strictReplies, gate });
  app.use(nowhere);
  app.use(answerErrors(log));
  return app;
}

/** Percent signs that stand for no text: Express would fail at them before any route is asked. */
function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
