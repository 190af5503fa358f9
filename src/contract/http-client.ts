import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import type { KyResponse } from "ky";
import { hourMs } from "../base/clock/clock.ts";
import { type Client, decodeReply } from "./client.ts";
import { isBinary, isStreamed } from "./encode.ts";
import { getOverHttp, type ReceivedReply } from "./http-get.ts";
import { Problem } from "./problem.ts";
import { readRefusal } from "./refusal.ts";
import type { Route } from "./route.ts";
import { brokenOff, isTimeout, unreachable } from "./unreachable.ts";
import { type AnyRequest, encodeRequest } from "./validate.ts";

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
}: HttpClientOptions): Client {
  const base = baseOf(url);
  const headers = { accept: "*/*", ...(apiKey !== undefined && keyHeader(apiKey)) };

  const ask = async (route: Route, request: AnyRequest): Promise<Answer> => {
    const { path, query, body } = encodeRequest(route, request);
    const deadline = new AbortController();
    const waitMs = route.slow ? Math.max(timeoutMs, slowTimeoutMs) : timeoutMs;
    let hasBegun = false;
    const timer = setTimeout(() => deadline.abort(new DOMException("too late", "TimeoutError")), waitMs);
    try {
      // Reading is most of what commands do. Changes, streams and foreign certificates go through ky and `fetch`
      if (route.method === "get" && !isStreamed(route) && !fetch) {
        const onReply = (): void => {
          hasBegun = true;
        };
        const search = query.size > 0 ? `?${query}` : "";
        return await getOverHttp(`${base}${path}${search}`, { headers, signal: deadline.signal, onReply });
      }
      const { default: ky } = await import("ky");
      const response = await ky(`${base}${path}`, {
        method: route.method,
        headers,
        throwHttpErrors: false,
        retry: 0,
        redirect: "error",
        timeout: false,
        signal: deadline.signal,
        ...(fetch && { fetch }),
        ...(query.size > 0 && { searchParams: query }),
        ...(body !== undefined && { body, headers: { ...headers, "Content-Type": "application/json" } }),
      });
      hasBegun = true;
      const { status, headers: replied } = response;
      if (response.ok && isStreamed(route)) return { status, headers: replied, bytes: new Uint8Array(), response };
      return { status, headers: replied, bytes: await bytesOf(response, deadline.signal) };
    } catch (cause) {
      if (hasBegun && !isTimeout(cause)) throw brokenOff(base, cause, route.method !== "get");
      throw unreachable(base, cause, { waitedMs: waitMs, otherwise: "use --direct" });
    } finally {
      clearTimeout(timer);
    }
  };

  const call = async (route: Route, request: AnyRequest): Promise<unknown> => {
    for (;;) {
      const answer = await ask(route, request);
      const { status, response } = answer;
      if (response) return { mediaType: mediaTypeOf(answer), parts: partsOf(response, base, timeoutMs) };
      if (status >= 200 && status < 300) return read(route, answer, base);
      const waitMs = Number(answer.headers.get("retry-after") ?? Number.NaN) * 1000;
      if (status !== 429 || !(waitMs <= maxWaitMs)) return readRefusal(route, status, json(answer.bytes), base);
      const pauseMs = Math.max(waitMs, leastWaitMs);
      onWait?.(pauseMs);
      await sleep(pauseMs);
    }
  };
  return { call: call as Client["call"] };
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

function mediaTypeOf({ headers }: Answer): string {
  return headers.get("content-type") ?? "application/octet-stream";
}

function read(route: Route, answer: Answer, from: string): unknown {
  if (!route.reply) return undefined;
  if (isBinary(route.reply)) return { mediaType: mediaTypeOf(answer), bytes: answer.bytes };
  return decodeReply(route, json(answer.bytes), from);
}

function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // Text that is not JSON fits no schema and is refused with the same message
    return undefined;
  }
}

function baseOf(url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new Problem("bad_request", `${url} is not the URL of a daemon; write it like http://127.0.0.1:8000`);
  }
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, "");
}
