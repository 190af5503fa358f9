import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Breaker } from "./breaker.ts";
import { callThrough, excerpt, judgeStatus, type Unavailable } from "./call.ts";
import { UpstreamFailure, type UpstreamHttp, upstreamHttp } from "./http.ts";

/** What came of asking a service of enrichment. */
export type ServiceResult<T> =
  | { readonly kind: "answered"; readonly value: T }
  /** The service will never take this: a 4xx. */
  | { readonly kind: "refused"; readonly detail: string }
  | Unavailable;

export interface ServiceOptions {
  /** Its address now; undefined while a built-in service starts, or cannot. */
  readonly url: () => string | undefined;
  /** Why a built-in service cannot work; undefined while it can, or starts. */
  readonly fault?: () => string | undefined;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly log: Log;
  /** For one answer, the trial of a half-open breaker included: a service that needs long would fail any shorter trial. */
  readonly timeoutMs: number;
}

export interface ServiceRequest<T> {
  readonly path: `/${string}`;
  readonly contentType: string;
  readonly body: Buffer | string;
  /** Reads the parsed JSON of a good answer. What it throws but `UpstreamFailure` is a fault of ours. */
  readonly read: (json: unknown) => T;
}

/** Asks one operation of one service. */
export interface ServiceClient {
  /** Never throws for what the service does; throws the signal's reason when the caller gave up. */
  ask<T>(request: ServiceRequest<T>, signal?: AbortSignal): Promise<ServiceResult<T>>;
  close(): Promise<void>;
}

const retryWhileStartingMs = 1_000;

/** The way in which the three services of enrichment are asked: POST, JSON back, through a breaker, within a time. */
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
  if (result.kind === "refused") log.warn({ detail: result.detail }, "a service of enrichment refused a request");
  if (result.kind === "unavailable" && result.reason !== "breaker_open") {
    const { reason, detail } = result;
    log.warn({ reason, detail }, "a service of enrichment did not answer as it should");
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
