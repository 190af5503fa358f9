import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { livePaths, refusals } from "../../src/contract/live.ts";
import { foreignHost } from "../../src/platform/access/allowed-host.ts";
import { isOwnOrigin } from "../http/origin.ts";
import { rawRefusal } from "../http/raw-answer.ts";

/** What decides about a connection besides the path and the origin. Each may answer later. */
export interface Gates {
  /** The `Host` header is one of ours; else 403 before the upgrade. Default: yes. */
  readonly allowHost?: (request: IncomingMessage) => boolean;
  /** The `Origin` header may connect. Default: when it is absent or names the host that was asked. */
  readonly allowOrigin?: (request: IncomingMessage) => boolean;
  /** The client's address may connect once more now. Asked before `authenticate`. Default: yes. */
  readonly allowConnection?: (request: IncomingMessage) => boolean | Promise<boolean>;
  /** The request carries a valid key. `protocol` is the offered subprotocol that carried it. Default: yes. */
  readonly authenticate?: (request: IncomingMessage) => Authentication | Promise<Authentication>;
}

export interface Authentication {
  readonly ok: boolean;
  readonly protocol?: string;
  /** Why it is not ok. Default: the key. */
  readonly reason?: string;
}

/** What becomes of an upgrade request. `refused` completes the upgrade and closes with 1008, since only then a client can see why. */
export type Verdict =
  | { readonly kind: "rejected"; readonly status: "403 Forbidden" | "404 Not Found"; readonly detail: string }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "accepted"; readonly protocol: string | undefined };

/** Judges an upgrade request. Rejects when a gate does. */
export async function judge(request: IncomingMessage, gates: Gates): Promise<Verdict> {
  if (!(livePaths as readonly string[]).includes(target(request).pathname)) {
    return { kind: "rejected", status: "404 Not Found", detail: `WebSockets are at ${livePaths.join(" and ")}` };
  }
  if (gates.allowHost && !gates.allowHost(request)) {
    return { kind: "rejected", status: "403 Forbidden", detail: foreignHost(request.headers.host) };
  }
  if (!(gates.allowOrigin ?? originIsOurs)(request)) return { kind: "refused", reason: refusals.origin };
  if (gates.allowConnection && !(await gates.allowConnection(request))) return { kind: "refused", reason: refusals.limit };
  const authentication = (await gates.authenticate?.(request)) ?? { ok: true };
  if (!authentication.ok) return { kind: "refused", reason: authentication.reason ?? refusals.key };
  return { kind: "accepted", protocol: authentication.protocol };
}

/** Answers an upgrade request with plain HTTP, as `detail` in JSON like every refusal, and ends the connection. */
export function reject(stream: Duplex, status: string, detail: string, headers: Readonly<Record<string, string>> = {}): void {
  // nobody reads from it any more, so that its end would never be seen
  stream.end(rawRefusal(status, detail, headers), () => stream.destroy());
}

/** The `since` of the query: a sequence, undefined when there is none, or the text that is no sequence. */
export function readSince(request: IncomingMessage): number | undefined | { readonly malformed: string } {
  const text = target(request).searchParams.get("since");
  if (text === null) return undefined;
  const since = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(since) ? since : { malformed: text };
}

function target(request: IncomingMessage): URL {
  const url = request.url ?? "/";
  // only the path and the query matter; a target such as `//x` must not become a host
  return new URL(`http://localhost${url.startsWith("/") ? url : `/${url}`}`);
}

/** A page in a browser may connect only when it came from the host it connects to. Programs send no origin. */
function originIsOurs({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || isOwnOrigin(origin, host);
}
