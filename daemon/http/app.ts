import express, { type Express, type Request, type RequestHandler } from "express";
import type { Log } from "../../src/base/log/log.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes/index.ts";
import type { OperationContext, Operations } from "../../src/work/operations/operation.ts";
import { referenceFolder, serveDescription, serveReference } from "./api-reference.ts";
import { type ClientAddress, clientAddressBehind } from "./client-address.ts";
import { allowOrigins } from "./cors.ts";
import { refuseForeignWrites } from "./cross-site.ts";
import { createRequestDecoder } from "./decode-body.ts";
import { answerErrors, noSuchPath } from "./errors.ts";
import { checkHost } from "./host.ts";
import { limitLargeBodies } from "./large-bodies.ts";
import { createRouteMiddleware, type MiddlewareOptions, unknownRoute } from "./middleware.ts";
import { type AnyOperation, mountRoutes } from "./mount.ts";
import { healthOnly } from "./own-health.ts";
import { assignRequestId, logRequests } from "./request-log.ts";
import { securityHeaders } from "./security-headers.ts";
import { createRequestCounter, type RequestCounter } from "./stats.ts";
import { createUnsentReplies } from "./unsent.ts";

export interface AppOptions extends MiddlewareOptions {
  readonly context: OperationContext;
  readonly log: Log;
  /** `ALLOWED_HOSTS`: allowed host names beyond the built-in ones. */
  readonly allowedHosts: readonly string[];
  /** `CORS_ORIGINS`: origins whose pages may use the API from a browser. */
  readonly corsOrigins?: readonly string[];
  /** Roles of a daemon without the role `api`, as text. Such a daemon answers only requests about its own health. */
  readonly rolesWithoutApi?: string | undefined;
  /** Whose memory a body or an unread reply counts as. Default: the direct peer. */
  readonly clientAddress?: ClientAddress;
  /** Answers uploads of cameras and passes other requests on. */
  readonly uploads?: RequestHandler | undefined;
  /** The web page; without it, its addresses are unknown paths. */
  readonly page?: RequestHandler | undefined;
  /** Counter for the answers. */
  readonly counter?: RequestCounter;
  /** Whether a reply that does not fit its schema is an error, as in tests. Otherwise the mismatch is logged. */
  readonly strictReplies?: boolean;
}

/** Creates the HTTP API as an Express application that is not listening yet. */
export function createApp(options: AppOptions & { readonly operations: Operations }): Express {
  return createAppOf(routes, options.operations, options);
}

/** Creates the same application with custom routes. */
export function createAppOf(
  customRoutes: Readonly<Record<string, Route>>,
  operations: Operations | Readonly<Record<string, AnyOperation>>,
  {
    context,
    log,
    allowedHosts,
    corsOrigins = [],
    clientAddress = clientAddressBehind([]),
    counter = createRequestCounter(),
    strictReplies = false,
    rolesWithoutApi,
    page,
    uploads,
    ...middlewareOptions
  }: AppOptions,
): Express {
  const app = express();
  const middleware = createRouteMiddleware(middlewareOptions);
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  // The order of the middleware matters: a request gets an id and is counted before anything else happens.
  app.use(assignRequestId);
  app.use(logRequests(log, counter));
  app.use(securityHeaders());
  app.use(checkHost(allowedHosts));
  app.use(allowOrigins(corsOrigins));
  app.use(refuseForeignWrites(corsOrigins));
  if (uploads) app.use(uploads);
  if (rolesWithoutApi !== undefined) app.use(healthOnly(rolesWithoutApi));
  if (page) app.use(page);
  app.use(serveReference(referenceFolder()));
  const unknownPath = express.Router().use(...middleware(unknownRoute), (request: Request) => {
    throw noSuchPath(request.path);
  });
  app.use((request, response, next) => (isReadable(request.path) ? next() : unknownPath(request, response, next)));
  mountRoutes(app, customRoutes, operations, {
    ...{ context, log, strictReplies, middleware, clientAddress },
    unsent: createUnsentReplies(log),
    largeBodies: limitLargeBodies(clientAddress),
    builtAhead: { getOpenapi: serveDescription(referenceFolder()) },
    decodeRequest: createRequestDecoder(),
  });
  app.use(unknownPath);
  app.use(answerErrors(log));
  return app;
}

/** Express fails on malformed percent-encoding before it calls any route. */
function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
