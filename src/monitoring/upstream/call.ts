import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { type Breaker, BreakerOpen } from "./breaker.ts";
import { type UnavailableReason, type UpstreamAnswer, UpstreamFailure, type UpstreamHttp, type UpstreamRequest } from "./http.ts";
import { describeStatus, meaningOf, type StatusFault } from "./status.ts";

/** The service cannot be used now. Retry the work at `retryAt` or later. */
export interface Unavailable {
  readonly kind: "unavailable";
  readonly reason: UnavailableReason;
  readonly detail: string;
  readonly retryAt: Date;
  /** No call had failed since the last good answer when this one was made, so the request itself may be at fault. */
  readonly suspect?: boolean;
}

/** Delay after a failure that did not open the breaker. It is short: the next call shows whether the service is down. */
const retryAfterFailureMs = 2_000;
const retryWhenBusyMs = 5_000;

/** The outcome of a call to a service. */
export type CallResult<T> =
  | { readonly kind: "answered"; readonly value: T }
  /** The service refuses this request for good, and goes on accepting others. */
  | { readonly kind: "refused"; readonly detail: string }
  | Unavailable;

/** A POST whose answer is JSON. */
export interface Call<T> extends Pick<UpstreamRequest, "baseUrl" | "path" | "body" | "timeoutMs" | "signal" | "staysInNetwork"> {
  readonly contentType: string;
  /** Makes the body of a small request that every working service accepts. It is sent after a refusal. */
  readonly reference: () => Buffer | string;
  /** Headers beside those of JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives an answer the status that it should have: some servers report a failure with status 200. */
  readonly normalize?: (answer: UpstreamAnswer) => UpstreamAnswer;
  /** Returns another body for the same request, after the server said what is wrong with the last one; undefined if there is none. */
  readonly adapt?: (refusal: UpstreamAnswer) => Buffer | string | undefined;
  /** Returns what to do about a status that no request should get, if that is not what the status usually means. */
  readonly advise?: (answer: UpstreamAnswer) => string | undefined;
  /** Throws `UpstreamFailure` if an answer with status 200, also that to the reference, reports a failure. */
  readonly throwOnFailure?: (text: string) => void;
  /** Stands in front of the address in its variable. */
  readonly addressPrefix?: string;
  /** Reads the text of a successful answer. Any error except `UpstreamFailure` is a bug. */
  readonly read: (text: string) => T;
  /** The log lines for a refused request and for a failed call, and their fields. */
  readonly lines: { readonly refused: string; readonly failed: string; readonly fields?: Readonly<Record<string, unknown>> };
}

/**
 * Calls a service through its breaker, and logs a refusal or a failure. A refusal is only about the request if the service then accepts
 * the reference request; otherwise the service refuses everything, which counts as its failure. Throws errors other than
 * `UpstreamFailure`, and the signal's reason if the caller cancelled.
 */
export async function callService<T>(
  http: UpstreamHttp,
  { breaker, clock, log }: { readonly breaker: Breaker; readonly clock: Clock; readonly log: Log },
  call: Call<T>,
): Promise<CallResult<T>> {
  const { reference, throwOnFailure, read, lines, normalize = (answer) => answer, signal } = call;
  const called = calledBy(call, `${breaker.name.toUpperCase()}_URL`);
  const send = async (body: Call<T>["body"]): Promise<UpstreamAnswer> => normalize(await http.exchange(requestOf(call, body)));
  const exchange = async (): Promise<CallResult<T>> => {
    const answer = await adapted(send, call);
    if (answer.status === 200) throwOnFailure?.(answer.text);
    const problem = problemIn(answer, called, clock);
    if (problem?.kind !== "refused") return problem ?? { kind: "answered", value: read(answer.text) };
    const second = await send(reference());
    if (second.status === 200) throwOnFailure?.(second.text);
    const secondProblem = problemIn(second, called, clock);
    if (secondProblem?.kind !== "refused") return secondProblem ?? problem;
    const message = `status ${answer.status}, and ${second.status} for a test request: the service refuses everything; read its log, or correct ${called.variable}`;
    throw new UpstreamFailure("status", message, { answer: answer.text });
  };
  const result = await callThrough(breaker, clock, exchange, signal);
  breaker.noteBusy(result.kind === "unavailable" && result.reason === "busy");
  if (result.kind === "refused") log.warn({ ...lines.fields, detail: result.detail }, lines.refused);
  if (result.kind === "unavailable" && result.reason !== "breaker_open") {
    log.warn({ ...lines.fields, reason: result.reason, detail: result.detail }, lines.failed);
  }
  return result;
}

function requestOf(
  { baseUrl, path, timeoutMs, signal, contentType, headers, staysInNetwork = false }: Call<unknown>,
  body: Call<unknown>["body"],
): UpstreamRequest {
  const all = { "content-type": contentType, accept: "application/json", ...headers };
  return { baseUrl, path, method: "POST", headers: all, timeoutMs, signal, staysInNetwork, ...(body !== undefined && { body }) };
}

/** More changes than any server asks for. */
const mostChanges = 12;

/** Sends a request, and after a refusal the ones that `adapt` gives, until the server answers otherwise or nothing is left to change. */
async function adapted(
  send: (body: Call<unknown>["body"]) => Promise<UpstreamAnswer>,
  { body, adapt }: Call<unknown>,
): Promise<UpstreamAnswer> {
  let answer = await send(body);
  for (let changes = 0; adapt && changes < mostChanges && meaningOf(answer.status) === "request"; changes += 1) {
    const next = adapt(answer);
    if (next === undefined) break;
    answer = await send(next);
  }
  return answer;
}

/** Where a call went, and how to read a status from there. */
type Called = Omit<StatusFault, "status" | "location"> & { readonly advise: Call<unknown>["advise"] | undefined };

function calledBy({ baseUrl, path, addressPrefix, advise }: Call<unknown>, variable: string): Called {
  return { url: baseUrl + path, path, variable, addressPrefix, advise };
}

/** Does work through a breaker; a failure becomes `Unavailable`. Throws other errors, and the signal's reason if the caller cancelled. */
export async function callThrough<T>(
  breaker: Breaker,
  clock: Clock,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T | Unavailable> {
  const suspect = breaker.state().failure_count === 0;
  try {
    return await breaker.run(work, signal);
  } catch (error) {
    if (error instanceof BreakerOpen) {
      return { kind: "unavailable", reason: "breaker_open", detail: error.message, retryAt: error.resetAt };
    }
    if (!(error instanceof UpstreamFailure)) throw error;
    const retryAt = breaker.state().reset_at ?? later(clock, retryAfterFailureMs);
    return { kind: "unavailable", reason: error.reason, detail: `${error.message}${excerpt(error.answer)}`, retryAt, suspect };
  }
}

/**
 * Interprets the status of an answer: undefined for 200. Throws `UpstreamFailure` for one that is not about the request, such as that of a
 * proxy in front of a service that restarts.
 */
function problemIn(
  answer: UpstreamAnswer,
  { advise, ...called }: Called,
  clock: Clock,
): Exclude<CallResult<never>, { kind: "answered" }> | undefined {
  const { status, location, text } = answer;
  if (status === 200) return undefined;
  const detail = `status ${status}${excerpt(text)}`;
  switch (meaningOf(status)) {
    case "request":
      return { kind: "refused", detail };
    case "busy":
      return { kind: "unavailable", reason: "busy", detail, retryAt: later(clock, answer.retryAfterMs ?? retryWhenBusyMs) };
    case "service": {
      const advice = advise?.(answer);
      const message = advice === undefined ? describeStatus({ ...called, status, location }) : `status ${status}: ${advice}`;
      throw new UpstreamFailure("status", message, { answer: text });
    }
  }
}

/** Parses the text of an answer. Throws `UpstreamFailure` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure("unreadable", "the answer is not JSON", { answer: text, cause });
  }
}

const longestExcerpt = 200;

/** Returns the first words of an answer, for a message. */
export function excerpt(text: string): string {
  // A log line must not contain control characters.
  const words = text
    .slice(0, 1_000)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  if (words === "") return "";
  const cut = words.length > longestExcerpt ? `${words.slice(0, longestExcerpt)}…` : words;
  // The cut may split a character, and half a character cannot be stored as JSON.
  return `: ${cut.replace(/\p{Surrogate}/gu, "")}`;
}

function later(clock: Clock, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}
