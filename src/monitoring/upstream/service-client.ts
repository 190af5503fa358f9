import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Breaker } from "./breaker.ts";
import { callThrough, excerpt, judgeStatus, type Unavailable } from "./call.ts";
import { UpstreamFailure, type UpstreamHttp, upstreamHttp } from "./http.ts";

/** The outcome of a call to an enrichment service. */
export type ServiceResult<T> =
  | { readonly kind: "answered"; readonly value: T }
  /** The service refuses this request for good (4xx). */
  | { readonly kind: "refused"; readonly detail: string }
  | Unavailable;

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

export interface ServiceRequest<T> {
  readonly path: `/${string}`;
  readonly contentType: string;
  readonly body: Buffer | string;
  /** Reads the parsed JSON of a successful answer. Any error except `UpstreamFailure` is a bug. */
  readonly read: (json: unknown) => T;
}

/** A client of one enrichment service. */
export interface ServiceClient {
  /** Never throws because of the service; throws the signal's reason if the caller cancelled. */
  ask<T>(request: ServiceRequest<T>, signal?: AbortSignal): Promise<ServiceResult<T>>;
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
): Promise<ServiceResult<T>> {
  const { breaker, clock, log, timeoutMs } = options;
  const baseUrl = options.url();
  if (baseUrl === undefined) {
    const retryAt = new Date(clock.now().getTime() + retryWhileStartingMs);
    return { kind: "unavailable", reason: "unreachable", detail: options.fault?.() ?? "the built-in service is starting", retryAt };
  }
  const once = async (): Promise<ServiceResult<T>> => {
    const answer = await http.exchange({
      baseUrl,
      path: request.path,
      method: "POST",
      headers: { "content-type": request.contentType, accept: "application/json" },
      body: request.body,
      timeoutMs,
      signal,
    });
    const status = judgeStatus(answer, clock);
    if (status.kind !== "ok") return status;
    return { kind: "answered", value: request.read(parse(answer.text)) };
  };
  const result = await callThrough(breaker, clock, once, signal);
  if (result.kind === "refused") log.warn({ detail: result.detail }, "an enrichment service refused a request");
  if (result.kind === "unavailable" && result.reason !== "breaker_open") {
    const { reason, detail } = result;
    log.warn({ reason, detail }, "the call to an enrichment service failed");
  }
  return result;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure("unreadable", `the answer is not JSON${excerpt(text)}`, { cause });
  }
}
