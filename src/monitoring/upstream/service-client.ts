import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Breaker } from "./breaker.ts";
import { type Call, type CallResult, callService, parseJson } from "./call.ts";
import { type UpstreamHttp, upstreamHttp } from "./http.ts";

export interface ServiceOptions {
  /** The current address; undefined while a built-in service starts or cannot start. */
  readonly url: () => string | undefined;
  /** Why a built-in service cannot start; undefined while it runs or starts. */
  readonly fault?: () => string | undefined;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit for one answer, also for the trial of a half-open breaker: a slow service would fail any shorter trial. */
  readonly timeoutMs: number;
}

export interface ServiceRequest<T> extends Pick<Call<T>, "path" | "contentType" | "body" | "reference"> {
  /** Reads the parsed JSON of a successful answer. Any error except `UpstreamFailure` is a bug. */
  readonly read: (json: unknown) => T;
}

/** A client of one enrichment service. */
export interface ServiceClient {
  /** Never throws because of the service; throws the signal's reason if the caller cancelled. */
  ask<T>(request: ServiceRequest<T>, signal?: AbortSignal): Promise<CallResult<T>>;
  close(): Promise<void>;
}

const retryWhileStartingMs = 1_000;

/** Creates a client for one of the three enrichment services: POST with a JSON answer, through a breaker, with a time limit. */
export function createServiceClient(options: ServiceOptions): ServiceClient {
  const http = upstreamHttp();
  return { ask: (request, signal) => ask(http, options, request, signal), close: () => http.close() };
}

async function ask<T>(
  http: UpstreamHttp,
  options: ServiceOptions,
  request: ServiceRequest<T>,
  signal?: AbortSignal,
): Promise<CallResult<T>> {
  const { clock, timeoutMs } = options;
  const baseUrl = options.url();
  if (baseUrl === undefined) {
    const retryAt = new Date(clock.now().getTime() + retryWhileStartingMs);
    return { kind: "unavailable", reason: "unreachable", detail: options.fault?.() ?? "the built-in service is starting", retryAt };
  }
  return await callService(http, options, {
    ...request,
    baseUrl,
    timeoutMs,
    signal,
    read: (text) => request.read(parseJson(text)),
    lines: { refused: "an enrichment service refused a request", failed: "the call to an enrichment service failed" },
  });
}
