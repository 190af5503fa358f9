import { createSemaphore } from "../../src/base/async/semaphore.ts";
import { runInSlices, type Steps } from "../../src/base/async/slices.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Request, Route } from "../../src/contract/route.ts";
import { decodeRequest, decodeRequestInSteps, mostValues, type RawRequest } from "../../src/contract/validate.ts";
import { parseJson } from "./json-steps.ts";

/** A longer body is parsed and checked in slices, and waits for the others of its kind: two at once would take the memory of two. */
const longBodyBytes = 64 * 1024;

/** The lists of a body are parsed in pieces of this size. */
const pieceBytes = 64 * 1024;

const timeout = {
  ms: 30_000,
  error: () => new Problem("unavailable", "Other large bodies are being read; try again later"),
};

/** A request whose body is not parsed: bytes in UTF-8, or undefined without a body. */
type RequestBytes = Omit<RawRequest, "body"> & { readonly body: Buffer | undefined };

/**
 * Parses the body of a request and decodes the request. Throws as `decodeRequest` does; invalid JSON is `Problem("invalid")`. Rejects with
 * the reason of the signal if it aborts while the request waits.
 */
export type RequestDecoder = <R extends Route>(route: R, request: RequestBytes, signal: () => AbortSignal) => Promise<Request<R>>;

/** Creates the decoder of an application, which decodes one long body at a time. */
export function createRequestDecoder(): RequestDecoder {
  const longBodies = createSemaphore({ max: 1, timeout });
  return async (route, request, signal) => {
    const { body } = request;
    if (body === undefined || !route.body) return decodeRequest(route, { ...request, body: undefined });
    if (body.length > longBodyBytes) {
      const gone = signal();
      return await longBodies.run(() => runInSlices(decodeInSteps(route, request, body), gone), gone);
    }
    return decodeRequest(route, { ...request, body: body.length === 0 ? {} : parsed(() => JSON.parse(body.toString()) as unknown) });
  };
}

function* decodeInSteps<R extends Route>(route: R, request: RequestBytes, bytes: Buffer): Steps<Request<R>> {
  let body: unknown;
  try {
    body = yield* parseJson(bytes, { mostValues, pieceBytes });
  } catch (error) {
    throw jsonProblem(error);
  }
  return yield* decodeRequestInSteps(route, { ...request, body });
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw jsonProblem(error);
  }
}

function jsonProblem(error: unknown): unknown {
  if (!(error instanceof SyntaxError)) return error;
  const msg = "The body is not valid JSON";
  return new Problem("invalid", msg, { items: [{ loc: ["body"], msg, type: "json_invalid" }], cause: error });
}
