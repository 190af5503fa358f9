import type { Express, RequestHandler } from "express";
import type { Log } from "../../src/base/log/log.ts";
import { encodeAnswer } from "../../src/contract/encode.ts";
import { isItemwise, type Route } from "../../src/contract/route.ts";
import { decodeRequest, ignoredParameters } from "../../src/contract/validate.ts";
import type { OperationContext, Operations } from "../../src/work/operations/operation.ts";
import { bodyLimit, itemwiseBodyLimit, readJsonBody } from "./body.ts";
import { callerOf } from "./caller.ts";
import { answerDetail } from "./errors.ts";
import { type Asked, type Gate, noRoute } from "./gate.ts";
import { silenceMs } from "./listen.ts";
import { send } from "./send.ts";

/** Any operation, once its route is known to fit. */
export type AnyOperation = (request: unknown, context: OperationContext) => Promise<unknown>;

export interface MountOptions {
  readonly context: OperationContext;
  readonly log: Log;
  /** A reply that does not fit its schema fails the request instead of being logged and stripped. */
  readonly strictReplies: boolean;
  readonly gate: Gate;
}

/** Mounts each route with the operation of the same id. Where two paths fit, the one with fewer placeholders is asked first. */
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
      const gate = options.gate(route);
      if (route.body) mounted[route.method](...gate, readJsonBody(isItemwise(route) ? itemwiseBodyLimit : bodyLimit), run);
      else mounted[route.method](...gate, run);
    }
    mounted.all(...options.gate(otherMethodsOf(entries.map(([, route]) => route))), refuseMethod(entries.map(([, route]) => route.method)));
  }
}

/** A path that is open to all and never counted is so for every method; a method that is missing elsewhere is no route. */
function otherMethodsOf(routes: readonly Route[]): Asked {
  return routes.every(({ tier, auth }) => tier === "none" && auth === "none") ? { tier: "none", auth: "none" } : noRoute;
}

/** Sorts literal segments before placeholders, from left to right. */
function specificity(path: string): string {
  return path.replace(/[^/]+/g, (segment) => (segment.startsWith("{") ? "1" : "0"));
}

function answerWith(id: string, route: Route, operation: AnyOperation, { context, log, strictReplies }: MountOptions): RequestHandler {
  const keeping = route.etag && { maxAgeSeconds: route.maxAgeSeconds ?? 0 };
  return async (request, response) => {
    const questionMark = request.url.indexOf("?");
    const query = new URLSearchParams(questionMark === -1 ? "" : request.url.slice(questionMark + 1));
    const ignored = ignoredParameters(route, query);
    if (ignored.length > 0) response.setHeader("X-Ignored-Parameters", ignoredHeader(ignored));
    const decoded = decodeRequest(route, { params: request.params, query, body: request.body, accept: request.headers.accept });
    // nothing is sent while it works
    if (route.slow) request.socket.setTimeout(0);
    const answer = encodeAnswer(route, await operation(decoded, { ...context, caller: callerOf(request, response) }));
    if (route.slow) request.socket.setTimeout(silenceMs);
    if (answer.kind === "json" && answer.mismatch) {
      if (strictReplies)
        throw new Error(`the reply of ${id} does not fit its schema: ${answer.mismatch.message}`, { cause: answer.mismatch });
      log.error({ operation: id, issues: answer.mismatch.issues }, "a reply does not fit its schema");
    }
    await send(request, response, answer, keeping);
  };
}

/** Names as they may stand in a header, and not more of them than fit. */
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
    answerDetail(response, 405, `${request.method} is not possible here, only ${allow}`);
  };
}
