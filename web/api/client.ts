import { pause } from "../../src/base/lifecycle/pause.ts";
import { type ClientReply, type ClientRequest, decodeReply } from "../../src/contract/client.ts";
import { isBinary, isStreamed } from "../../src/contract/encode.ts";
import { Problem } from "../../src/contract/problem.ts";
import { readRefusal } from "../../src/contract/refusal.ts";
import type { Route } from "../../src/contract/route.ts";
import { keyHeaders } from "../../src/contract/tail/address.ts";
import { type AnyRequest, encodeRequest } from "../../src/contract/validate.ts";

/** Longest wait for an answer; routes that may take long have more. */
const timeoutMs = 20_000;
const slowTimeoutMs = 600_000;
/** Longest wait that a rate limit may ask for before the page says so. */
const longestWaitMs = 15_000;

const never = new AbortController().signal;

/**
 * Calls an operation of the daemon that served this page. Throws the `Problem` that the daemon reported, and `Problem("unreachable")` when
 * it does not answer. The session of this browser counts, or else `key`. A request waits and tries again when the daemon asks for it.
 */
export async function call<R extends Route>(
  route: R,
  request: ClientRequest<R>,
  signal: AbortSignal = never,
  key?: string,
): Promise<ClientReply<R>> {
  for (;;) {
    const response = await send(route, request as AnyRequest, signal, key);
    const waitMs = Number(response.headers.get("retry-after") ?? Number.NaN) * 1000;
    if (response.status === 429 && waitMs <= longestWaitMs) {
      await pause(Math.max(waitMs, 500), signal);
      signal.throwIfAborted();
      continue;
    }
    return (await read(route, response)) as ClientReply<R>;
  }
}

async function send(route: Route, request: AnyRequest, signal: AbortSignal, key: string | undefined): Promise<Response> {
  const { path, query, body } = encodeRequest(route, request);
  const headers = {
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...keyHeaders(key),
  };
  const timeout = AbortSignal.timeout(route.slow ? slowTimeoutMs : timeoutMs);
  try {
    return await fetch(`${path}${query.size > 0 ? `?${query}` : ""}`, {
      method: route.method.toUpperCase(),
      headers,
      body: body ?? null,
      signal: AbortSignal.any([signal, timeout]),
    });
  } catch (cause) {
    signal.throwIfAborted();
    throw new Problem("unreachable", "homesec does not answer", { cause });
  }
}

async function read(route: Route, response: Response): Promise<unknown> {
  if (response.ok && !route.reply) return undefined;
  if (response.ok && isStreamed(route)) return { mediaType: response.headers.get("content-type") ?? "", parts: wholeBody(response) };
  if (response.ok && route.reply && isBinary(route.reply)) {
    return { mediaType: response.headers.get("content-type") ?? "", bytes: new Uint8Array(await response.arrayBuffer()) };
  }
  const body: unknown = await response.json().catch(() => undefined);
  return response.ok ? decodeReply(route, body, location.origin) : readRefusal(route, response.status, body, location.origin);
}

/** A file for the disk is needed whole, so it comes as one part. */
async function* wholeBody(response: Response): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await response.arrayBuffer());
}
