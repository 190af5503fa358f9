import { inspect } from "node:util";
import type { ErrorRequestHandler, Response } from "express";
import type { Log } from "../../src/base/log/log.ts";
import { Problem } from "../../src/contract/problem.ts";
import { statusOf } from "../../src/contract/problem-status.ts";
import { requestIdOf, withoutToken } from "./request-log.ts";

/** Seconds until a client may retry while a dependency is unavailable. */
const retryAfterSeconds = 2;

/** Turns errors into answers. For internal errors, the answer has only the request id, and the log has the details. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (response.headersSent || response.destroyed) {
      // Part of the answer is sent already. Only cutting the connection can show that the rest is missing.
      const isAbort = response.destroyed && error instanceof Error && error.name === "AbortError";
      log[isAbort ? "debug" : "warn"](
        { requestId: requestIdOf(response), path: withoutToken(request.path), error: inspect(error) },
        "an answer was aborted",
      );
      response.destroy();
      return;
    }
    const problem = problemOf(error, request.path);
    if (problem) return answerProblem(response, problem);
    const requestId = requestIdOf(response);
    log.error({ requestId, method: request.method, path: withoutToken(request.path), error: inspect(error) }, "a request failed");
    answerDetail(response, 500, `Internal error; request ${requestId}`);
  };
}

function problemOf(error: unknown, path: string): Problem | undefined {
  if (error instanceof Problem) return error;
  // Malformed percent-encoding cannot name anything that exists.
  if (error instanceof URIError) return noSuchPath(path);
  return undefined;
}

/** Creates the problem for an unknown path. */
export function noSuchPath(path: string): Problem {
  return new Problem("not_found", `There is nothing at ${path}; /openapi.json lists all paths`);
}

function answerProblem(response: Response, problem: Problem): void {
  const status = statusOf(problem.kind);
  if (status === 503) response.setHeader("Retry-After", retryAfterSeconds);
  answerDetail(response, status, status === 422 ? itemsOf(problem) : problem.message);
}

function itemsOf(problem: Problem): readonly object[] {
  return problem.items.length > 0 ? problem.items : [{ loc: ["body"], msg: problem.message, type: "value_error" }];
}

/** Sends the API's error body: a sentence, a list of validation errors, or the record of a rate limit. */
export function answerDetail(response: Response, status: number, detail: string | object): void {
  const text = JSON.stringify({ detail });
  response.statusCode = status;
  for (const name of ["ETag", "Last-Modified", "Content-Encoding"]) response.removeHeader(name);
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(text);
}
