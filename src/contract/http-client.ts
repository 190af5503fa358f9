import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import type { KyResponse } from "ky";
import { hourMs } from "../base/clock/clock.ts";
import type { Client } from "./client.ts";
import { getOverHttp, jsonOf, mediaTypeOf, type ReceivedReply } from "./http-get.ts";
import { decodeByPlan, encodeByPlan, type RoutePlan } from "./plan.ts";
import { Problem } from "./problem.ts";
import type { Route } from "./route.ts";
import { brokenOff, isTimeout, unreachable } from "./unreachable.ts";
import type { AnyRequest } from "./validate.ts";

export interface HttpClientOptions {
  /** URL of the daemon, such as http://127.0.0.1:8000. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Default: the `fetch` of Node. */
  readonly fetch?: typeof fetch | undefined;
  /** Timeout of one attempt of a call, including reading the reply. */
  readonly timeoutMs: number;
  /** Longest wait that the client accepts from a rate limit; the call fails when the daemon asks for more. */
  readonly maxWaitMs?: number;
  /** Shortest wait at a rate limit, so that a wrong `Retry-After` cannot cause a flood of requests. */
  readonly leastWaitMs?: number;
  /** Called before each such wait. */
  readonly onWait?: ((ms: number) => void) | undefined;
}

/** Returns the header with an API key. `fetch` sends each character as one byte, so characters beyond ASCII are sent as UTF-8 bytes. */
export function keyHeader(apiKey: string): Readonly<Record<string, string>> {
  return { "X-API-Key": Buffer.from(apiKey, "utf8").toString("latin1") };
}

/** Timeout of one attempt of a slow call. */
const slowTimeoutMs = hourMs;

/**
 * Creates a client of a daemon. It throws the `Problem` that the daemon reported, `Problem("unreachable")` when no daemon answers, and a
 * plain error with the request id for an internal error of the daemon.
 */
export function createHttpClient({
  url,
  apiKey,
  fetch,
  timeoutMs,
  maxWaitMs = 70_000,
  leastWaitMs = 1000,
  onWait,
}: HttpClientOptions): HttpClient {
  const base = baseOf(url);
  const headers = { accept: "*/*", ...(apiKey !== undefined && keyHeader(apiKey)) };

  const ask = async ({ method, path, query, body, isSlow, isStream }: WireRequest): Promise<Answer> => {
    const deadline = new AbortController();
    const waitMs = isSlow ? Math.max(timeoutMs, slowTimeoutMs) : timeoutMs;
    let hasBegun = false;
    const timer = setTimeout(() => deadline.abort(new DOMException("too late", "TimeoutError")), waitMs);
    try {
      // Reading is most of what commands do. Changes, streams and foreign certificates go through ky and `fetch`
      if (method === "get" && !isStream && !fetch) {
        const onReply = (): void => {
          hasBegun = true;
        };
        const search = query.size > 0 ? `?${query}` : "";
        return await getOverHttp(`${base}${path}${search}`, { headers, signal: deadline.signal, onReply });
      }
      const { default: ky } = await import("ky");
      const response = await ky(`${base}${path}`, {
        ...{ method, headers, throwHttpErrors: false, retry: 0, redirect: "error", timeout: false, signal: deadline.signal },
        ...(fetch && { fetch }),
        ...(query.size > 0 && { searchParams: query }),
        ...(body !== undefined && { body, headers: { ...headers, "Content-Type": "application/json" } }),
      });
      hasBegun = true;
      const { status, headers: replied } = response;
      if (response.ok && isStream) return { status, headers: replied, bytes: new Uint8Array(), response };
      return { status, headers: replied, bytes: await bytesOf(response, deadline.signal) };
    } catch (cause) {
      if (hasBegun && !isTimeout(cause)) throw brokenOff(base, cause, method !== "get");
      throw unreachable(base, cause, { waitedMs: waitMs, otherwise: "use --direct" });
    } finally {
      clearTimeout(timer);
    }
  };

  /** Asks until the daemon answers with something else than a rate limit that is worth waiting for. */
  const exchange = async (request: WireRequest): Promise<Answer> => {
    for (;;) {
      const answer = await ask(request);
      const waitMs = Number(answer.headers.get("retry-after") ?? Number.NaN) * 1000;
      if (answer.status !== 429 || !(waitMs <= maxWaitMs)) return answer;
      const pauseMs = Math.max(waitMs, leastWaitMs);
      onWait?.(pauseMs);
      await sleep(pauseMs);
    }
  };

  const call = async (route: Route, request: AnyRequest): Promise<unknown> => {
    const { wireOf, replyOf } = await import("./http-schemas.ts");
    const answer = await exchange(wireOf(route, request));
    if (answer.response) return { mediaType: mediaTypeOf(answer), parts: partsOf(answer.response, base, timeoutMs) };
    return replyOf(route, answer, base);
  };

  const callPlanned: HttpClient["callPlanned"] = async (plan, request, loadRoute) => {
    const encoded = encodeByPlan(plan, request);
    if (encoded === undefined) return await call(await loadRoute(), request);
    const answer = await exchange({ ...encoded, method: "get", body: undefined, isSlow: plan.slow, isStream: false });
    const decoded = answer.status === 200 ? decodeByPlan(plan.reply, jsonOf(answer.bytes)) : undefined;
    if (decoded) return decoded.reply;
    return (await import("./http-schemas.ts")).replyOf(await loadRoute(), answer, base);
  };
  return { call: call as Client["call"], callPlanned };
}

/** A client of a daemon. */
export interface HttpClient extends Client {
  /** The same as `call` for a route with a plan. Loads the route only when the request or the reply does not fit. */
  callPlanned(plan: RoutePlan, request: AnyRequest, loadRoute: () => Promise<Route>): Promise<unknown>;
}

/** A request as it is sent. */
export interface WireRequest {
  readonly method: Route["method"];
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string | undefined;
  readonly isSlow: boolean;
  readonly isStream: boolean;
}

interface Answer extends ReceivedReply {
  /** A stream whose parts are still to be read. */
  readonly response?: KyResponse;
}

/**
 * Reads the body until its end or the deadline. The signal given to `fetch` is not enough: after the headers arrive, the garbage
 * collector may remove what forwards it, and a stalled body would block forever.
 */
async function bytesOf(response: KyResponse, signal: AbortSignal): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  return new Uint8Array(await buffer(Readable.fromWeb(response.body as ReadableStream, { signal })));
}

/** Yields the parts of a body as they arrive. Throws when nothing arrives for `stallMs`. */
async function* partsOf(response: KyResponse, from: string, stallMs: number): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const body = Readable.fromWeb(response.body as ReadableStream);
  const timer = setTimeout(() => body.destroy(new DOMException("nothing more came", "TimeoutError")), stallMs);
  try {
    for await (const part of body) {
      timer.refresh();
      yield part;
    }
  } catch (cause) {
    throw brokenOff(from, cause, false);
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

function baseOf(url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new Problem("bad_request", `${url} is not the URL of a daemon; write it like http://127.0.0.1:8000`);
  }
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, "");
}
