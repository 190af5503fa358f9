import type { Express, Request, RequestHandler, Response } from "express";
import type { Log } from "../../src/base/log/log.ts";
import { type Need, needs } from "../../src/contract/access.ts";
import { encodeAnswer } from "../../src/contract/encode.ts";
import { isItemwise, type Route } from "../../src/contract/route.ts";
import type { OperationId } from "../../src/contract/routes/index.ts";
import { ignoredParameters } from "../../src/contract/validate.ts";
import type { OperationContext, Operations } from "../../src/work/operations/operation.ts";
import { bodyLimit, itemwiseBodyLimit, readBody } from "./body.ts";
import { callerOf, disconnectSignal } from "./caller.ts";
import type { ClientAddress } from "./client-address.ts";
import type { RequestDecoder } from "./decode-body.ts";
import { answerDetail } from "./errors.ts";
import { limitToCameras } from "./guest-cameras.ts";
import { idleTimeoutMs } from "./listen.ts";
import { type RouteAccess, type RouteMiddleware, unknownRoute } from "./middleware.ts";
import { recordChange } from "./record-change.ts";
import { prepareReply, type ReplySender, type Sending } from "./send.ts";
import type { UnsentReplies } from "./unsent.ts";

/** Any operation, once its route is known to match. */
export type AnyOperation = (request: unknown, context: OperationContext) => Promise<unknown>;

export interface MountOptions {
  readonly context: OperationContext;
  readonly log: Log;
  /** Fails the request if the reply does not fit its schema, instead of logging the mismatch and sending the valid part. */
  readonly strictReplies: boolean;
  readonly middleware: RouteMiddleware;
  readonly clientAddress: ClientAddress;
  readonly unsent: UnsentReplies;
  readonly decodeRequest: RequestDecoder;
  /** By id of an operation: answers with what the build has made, or passes the request on to the operation. */
  readonly builtAhead: Readonly<Record<string, RequestHandler>>;
  /** Runs before a body with a list of items is read. */
  readonly largeBodies: RequestHandler;
}

/** Mounts each route with the operation of the same id. If two paths match, the one with fewer placeholders comes first. */
export function mountRoutes(
  app: Express,
  routes: Readonly<Record<string, Route>>,
  operations: Operations | Readonly<Record<string, AnyOperation>>,
  options: MountOptions,
): void {
  const byPath = new Map<string, [id: string, route: Route][]>();
  for (const entry of Object.entries(routes)) byPath.set(entry[1].path, [...(byPath.get(entry[1].path) ?? []), entry]);
  for (const [path, entries] of [...byPath].toSorted(([a], [b]) => specificity(a).localeCompare(specificity(b)))) {
    const mounted = app.route(path.replace(/\{(\w+)\}/g, ":$1"));
    for (const [id, route] of entries) {
      const operation = (operations as Readonly<Record<string, AnyOperation>>)[id];
      if (!operation) throw new Error(`no operation implements the route ${id}`);
      const run = answerWith(id, route, operation, options);
      const ahead = options.builtAhead[id];
      const middleware = [...options.middleware(route, needOf(id)), ...(ahead ? [ahead] : [])];
      if (isItemwise(route)) mounted[route.method](...middleware, options.largeBodies, readBody(itemwiseBodyLimit), run);
      else if (route.body) mounted[route.method](...middleware, readBody(bodyLimit), run);
      else mounted[route.method](...middleware, run);
    }
    const routesOfPath = entries.map(([, route]) => route);
    mounted.all(...options.middleware(otherMethodsOf(routesOfPath)), refuseMethod(routesOfPath.map(({ method }) => method)));
  }
}

/** Returns what a named key needs for a route. Routes beyond the contract are for owners. */
function needOf(id: string): Need {
  return Object.hasOwn(needs, id) ? needs[id as OperationId] : { role: "owner" };
}

/** If a path is open and unlimited, all its methods are. Elsewhere a missing method is treated as an unknown route. */
function otherMethodsOf(routes: readonly Route[]): RouteAccess {
  return routes.every(({ tier, auth }) => tier === "none" && auth === "none") ? { tier: "none", auth: "none" } : unknownRoute;
}

/** Sorts literal segments before placeholders, from left to right. */
function specificity(path: string): string {
  return path.replace(/[^/]+/g, (segment) => (segment.startsWith("{") ? "1" : "0"));
}

function answerWith(id: string, route: Route, operation: AnyOperation, options: MountOptions): RequestHandler {
  const { context, log, strictReplies, clientAddress, unsent } = options;
  const need = needOf(id);
  const caching = route.etag && { maxAgeSeconds: route.maxAgeSeconds ?? 0 };
  const answer = async (request: Request, response: Response): Promise<ReplySender> => {
    // A decoded request may take many megabytes: it is in memory for only as long as the operation needs it.
    const operate = async (decoded: unknown): Promise<unknown> => {
      // The connection is silent while the operation works.
      if (route.slow) request.socket.setTimeout(0);
      const caller = callerOf(request, response, clientAddress(request));
      const limited = caller.access?.cameraIds ? await limitToCameras(need, decoded, caller.access.cameraIds, context.db) : decoded;
      const recording = recordChange({ id, route, access: caller.access }, limited, context);
      const result = await operation(limited, { ...context, ...(recording && { db: recording.db }), caller });
      await recording?.finish();
      return result;
    };
    const encoded = encodeAnswer(route, await decodeOnce(route, request, response, options).then(operate));
    if (route.slow) request.socket.setTimeout(idleTimeoutMs);
    if (encoded.kind === "json" && encoded.mismatch) {
      if (strictReplies)
        throw new Error(`the reply of ${id} does not fit its schema: ${encoded.mismatch.message}`, { cause: encoded.mismatch });
      log.error({ operation: id, issues: encoded.mismatch.issues }, "a reply does not fit its schema");
    }
    const sendBuffer: Sending["sendBuffer"] = (content) => unsent.send(clientAddress(request), response, content);
    return prepareReply(request, response, encoded, { caching, sendBuffer });
  };
  return async (request, response) => {
    // While the client reads, only the bytes of the reply stay in memory, not what they were made of.
    const sendReply = await answer(request, response);
    await sendReply();
  };
}

/** Decodes a request. Takes the bytes of its body out of it, which are not needed afterwards. */
function decodeOnce(route: Route, request: Request, response: Response, { decodeRequest }: MountOptions): Promise<unknown> {
  const questionMark = request.url.indexOf("?");
  const query = new URLSearchParams(questionMark === -1 ? "" : request.url.slice(questionMark + 1));
  const ignored = ignoredParameters(route, query);
  if (ignored.length > 0) response.setHeader("X-Ignored-Parameters", ignoredHeader(ignored));
  const body = request.body as Buffer | undefined;
  request.body = undefined;
  return decodeRequest(route, { params: request.params, query, body, accept: request.headers.accept }, () => disconnectSignal(response));
}

/** Encodes the names for a header and limits their number and length. */
function ignoredHeader(names: readonly string[]): string {
  return names
    .slice(0, 50)
    .map((name) => encodeURIComponent(Buffer.from(name.slice(0, 50)).toString()))
    .join(", ");
}

function refuseMethod(methods: readonly Route["method"][]): RequestHandler {
  const known = methods.map((method) => method.toUpperCase());
  const allow = [...known, ...(known.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  return (request, response) => {
    response.setHeader("Allow", allow);
    if (request.method === "OPTIONS") {
      response.statusCode = 204;
      response.end();
      return;
    }
    answerDetail(response, 405, `${request.method} is not supported here, only ${allow}`);
  };
}
