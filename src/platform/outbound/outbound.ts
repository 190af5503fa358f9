import { networkInterfaces } from "node:os";
import { programVersion } from "../../base/version.ts";
import { refusalOfAddresses, refusalOfPrivate } from "./address.ts";
import { allowanceOf } from "./allow.ts";
import { exchange } from "./exchange.ts";
import { failureText } from "./failure.ts";
import { headersToSend } from "./headers.ts";
import { LineFailure, readLines } from "./lines.ts";
import { type Resolve, resolveBySystem } from "./resolve.ts";
import { type Target, targetOf } from "./target.ts";

/** A request to a URL that a user has entered. */
export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: a GET. */
  readonly body: string | Buffer | null;
  /** Covers everything: name resolution, connection, TLS, response. */
  readonly timeoutMs: number;
  /** Maximum number of bytes read from the response (default 16 KiB). */
  readonly mostBytes?: number;
  /** The target is a service on the internet: addresses of this machine and its networks are refused unless OUTBOUND_ALLOW names them. */
  readonly isOnInternet?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * The result of a request. `answered`: there is a status; `body` is the beginning of the response. `refused`: the
 * outbound rules forbid it, so trying again is useless. `unreachable`: no status arrived. Errors contain no secrets: of the URL they name
 * only host and port.
 */
export type OutboundAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | null; readonly body: string; readonly ms: number }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "unreachable"; readonly error: string; readonly ms: number };

/** A GET whose response is a stream of lines. Here `timeoutMs` is the longest time without a byte. */
export interface OutboundStream extends Omit<OutboundRequest, "body" | "mostBytes"> {
  /** Gets each line, one after the other. An error ends the stream. */
  readonly onLine: (line: string) => Promise<void>;
}

/** Sends all requests to URLs that users have entered. */
export interface Outbound {
  /** Sends a request; never rejects. */
  post(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Reads a stream until it ends; `answered` with 200 says that it did. Rejects only with an error of `onLine`. */
  lines(request: OutboundStream): Promise<OutboundAnswer>;
  /** Returns why requests to the URL would be refused now; undefined if they would not. A name without an address may get one later. */
  refusalOf(url: string, target?: Pick<OutboundRequest, "isOnInternet">): Promise<string | undefined>;
  /** Aborts all requests in progress. */
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** Entries of OUTBOUND_ALLOW. */
  readonly allow: readonly string[];
  /** Port of homesec's own API on this machine, which may not be called unless an entry of `allow` names its host. */
  readonly ownPort?: number | undefined;
  readonly resolve?: Resolve;
  /** PEM; trusted instead of the system's certificates. */
  readonly ca?: string;
}

/** Creates the sender. Each request has its own connection, to an address that was checked for this request. */
export function createOutbound({ allow, ownPort, resolve = resolveBySystem, ca }: OutboundOptions): Outbound {
  const allowance = allowanceOf(allow);
  const userAgent = `homesec/${programVersion()}`;
  const underWay = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;

  const refusal = ({ host, url }: Target, addresses: readonly string[], isOnInternet = false): string | undefined =>
    refusalOfAddresses(host, addresses) ??
    allowance.refusal(host, addresses) ??
    (isOnInternet && allow.length === 0 ? refusalOfPrivate(host, addresses) : undefined) ??
    (allow.length === 0 && portOf(url) === ownPort && addresses.some(isThisMachine) ? ownApiRefused(url) : undefined);

  const send = async (request: Sending, target: Target, headers: Readonly<Record<string, string>>, stop: AbortController) => {
    const started = performance.now();
    let step = `the name ${target.host} was not found`;
    const end = (): void => stop.abort(new Error("stopped before an answer came"));
    const expire = (): void => stop.abort(new Error(`${step} within ${request.timeoutMs / 1000} s`));
    const timer = setTimeout(expire, request.timeoutMs);
    request.signal?.addEventListener("abort", end, { once: true });
    if (request.signal?.aborted || isClosed) end();
    try {
      const addresses = target.isAddress ? [target.host] : await orAborted(resolve(target.host), stop.signal);
      const refused = refusal(target, addresses, request.isOnInternet);
      if (refused !== undefined) return { kind: "refused", error: refused } as const;
      step = "no answer came";
      const { body, mostBytes, onLine } = request;
      const read = onLine && ((chunks: AsyncIterable<Buffer>) => readLines(chunks, { onLine, onBytes: () => timer.refresh() }));
      const reply = await exchange({ target, addresses, headers, body, read, mostBytes, signal: stop.signal, ca });
      return { kind: "answered", ...reply, ms: since(started) } as const;
    } catch (error) {
      if (error instanceof LineFailure) throw error.cause;
      const text = stop.signal.aborted ? `${target.shown}: ${(stop.signal.reason as Error).message}` : failureText(target.shown, error);
      return { kind: "unreachable", error: text, ms: since(started) } as const;
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", end);
    }
  };

  const begin = async (request: Sending): Promise<OutboundAnswer> => {
    const target = targetOf(request.url);
    if (typeof target === "string") return { kind: "refused", error: target };
    const headers = headersToSend(request.headers, userAgent);
    if (typeof headers === "string") return { kind: "refused", error: headers };
    const stop = new AbortController();
    const sent = send(request, target, headers, stop);
    underWay.set(stop, sent);
    return await sent.finally(() => underWay.delete(stop));
  };

  return {
    post: begin,
    lines: (request) => begin({ ...request, body: null }),
    async refusalOf(url, { isOnInternet } = {}) {
      const target = targetOf(url);
      if (typeof target === "string") return target;
      return refusal(target, target.isAddress ? [target.host] : await resolve(target.host).catch(() => []), isOnInternet);
    },
    async close() {
      isClosed = true;
      for (const stop of underWay.keys()) stop.abort(new Error("homesec is stopping"));
      await Promise.allSettled(underWay.values());
    },
  };
}

/** A request of either kind. */
type Sending = OutboundRequest & Partial<Pick<OutboundStream, "onLine">>;

/** Waits for work, or rejects with the signal's reason; the work continues unobserved. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === "https:" ? 443 : 80));
}

/** Whether an address belongs to this machine. */
function isThisMachine(address: string): boolean {
  const plain = address.replace(/%.*$/, "").replace(/^::ffff:(?=[\d.]+$)/i, "");
  if (plain === "::1" || plain.startsWith("127.")) return true;
  return Object.values(networkInterfaces()).some((own) => own?.some((each) => each.address === plain));
}

/** A message about an event that changes something here could cause the next event. */
function ownApiRefused(url: URL): string {
  return `${url.host} is homesec's own API; if that is meant, name every permitted target, this one included, in OUTBOUND_ALLOW`;
}

const since = (started: number): number => Math.round(performance.now() - started);
