import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import ky, { type KyResponse } from "ky";
import { z } from "zod";
import { hourMs } from "../base/clock/durations.ts";
import { type Client, decodeReply } from "./client.ts";
import { isBinary, isStreamed } from "./encode.ts";
import { sentenceOf } from "./issues.ts";
import { Problem, type ProblemItem } from "./problem.ts";
import { ErrorBody, ValidationErrorBody } from "./problem-bodies.ts";
import { kindOf } from "./problem-status.ts";
import type { Route } from "./route.ts";
import { brokenOff, isTimeout, unreachable } from "./unreachable.ts";
import { type AnyRequest, encodeRequest } from "./validate.ts";

export interface HttpClientOptions {
  /** Where the daemon is, such as http://127.0.0.1:8000. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Default: the one of Node. */
  readonly fetch?: typeof fetch | undefined;
  /** For one try of one call, reading the answer included. */
  readonly timeoutMs: number;
  /** How long the daemon may ask to wait when there were too many requests; above that the call fails. */
  readonly maxWaitMs?: number;
  /** The least that is waited then, so that a mistaken answer does not become a storm. */
  readonly leastWaitMs?: number;
  /** Hears of each such wait before it begins. */
  readonly onWait?: ((ms: number) => void) | undefined;
}

/** The header with an API key. `fetch` sends a character as a byte, and the daemon reads bytes: letters beyond ASCII go as their UTF-8. */
export function keyHeader(apiKey: string): Readonly<Record<string, string>> {
  return { "X-API-Key": Buffer.from(apiKey, "utf8").toString("latin1") };
}

/** For one try of a call that may take long. */
const slowTimeoutMs = hourMs;

/**
 * A client of a daemon. What the daemon refuses is thrown as the `Problem` that it was there; that no daemon answers, as
 * `Problem("unreachable")`; a failure inside of the daemon as a plain error with its request id.
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
      if (response.ok && isStreamed(route)) return { response, bytes: new Uint8Array() };
      return { response, bytes: await bytesOf(response, deadline.signal) };
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
      const { response } = answer;
      if (response.ok && isStreamed(route)) return { mediaType: mediaTypeOf(response), parts: partsOf(response, base, timeoutMs) };
      if (response.ok) return read(route, answer, base);
      const waitMs = Number(response.headers.get("retry-after") ?? Number.NaN) * 1000;
      if (response.status !== 429 || !(waitMs <= maxWaitMs)) return refused(route, answer, base);
      const pauseMs = Math.max(waitMs, leastWaitMs);
      onWait?.(pauseMs);
      await sleep(pauseMs);
    }
  };
  return { call: call as Client["call"] };
}

interface Answer {
  readonly response: KyResponse;
  readonly bytes: Uint8Array;
}

/**
 * Reads the body to its end or the deadline. The signal given to `fetch` is not enough: once the headers are there, the
 * garbage collector may take what passes it on, and a body that stalls would be waited for without end.
 */
async function bytesOf(response: KyResponse, signal: AbortSignal): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  return new Uint8Array(await buffer(Readable.fromWeb(response.body as ReadableStream, { signal })));
}

/** The parts of a body as they come. One that stalls for `stallMs` has broken off. */
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

function mediaTypeOf(response: KyResponse): string {
  return response.headers.get("content-type") ?? "application/octet-stream";
}

function read(route: Route, { response, bytes }: Answer, from: string): unknown {
  if (!route.reply) return undefined;
  if (isBinary(route.reply)) return { mediaType: mediaTypeOf(response), bytes };
  return decodeReply(route, json(bytes), from);
}

/** What a daemon refuses with, a rate limit included. */
const RefusalBody = z.union([ErrorBody, ValidationErrorBody, z.object({ detail: z.object({ message: z.string() }) })]);

/** Throws what the daemon said. A health route says with 503 what its reply says: that is returned. */
function refused(route: Route, { response, bytes }: Answer, from: string): unknown {
  const body = json(bytes);
  if (response.status === 503 && route.refusals?.[503] && route.reply && !isBinary(route.reply)) {
    const health = z.safeDecode(route.reply, body as z.input<z.ZodType>);
    if (health.success) return health.data;
  }
  const known = RefusalBody.safeParse(body);
  if (!known.success) {
    throw new Problem("unreachable", `${from} answered ${response.status}, but not as a homesec daemon does; check the URL`);
  }
  const { detail } = known.data;
  const items: readonly ProblemItem[] = Array.isArray(detail) ? detail : [];
  const message = typeof detail === "string" ? detail : "message" in detail ? detail.message : sentenceOf(items);
  const kind = kindOf(response.status);
  if (kind) throw new Problem(kind, message, { items });
  throw new Error(`The daemon at ${from} failed: ${message}`);
}

function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // what is no JSON fits no schema either, and is refused as that
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
