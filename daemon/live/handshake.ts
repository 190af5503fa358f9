import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { livePaths, refusals } from "../../src/contract/live.ts";
import { foreignHost } from "../../src/platform/access/hosts.ts";
import type { Access } from "../../src/platform/keys/named-keys.ts";
import { rawRefusal } from "../http/connection.ts";
import { isOwnOrigin } from "../http/host.ts";

/** Access checks of a connection, in addition to its path. Each may be asynchronous. */
export interface AccessChecks {
  /** The `Host` header is allowed; otherwise the reply is 403 before the upgrade. Default: yes. */
  readonly allowHost?: (request: IncomingMessage) => boolean;
  /** The `Origin` header may connect. Default: it is missing or names the requested host. */
  readonly allowOrigin?: (request: IncomingMessage) => boolean;
  /** The client's address may open another connection now. Checked before `authenticate`. Default: yes. */
  readonly allowConnection?: (request: IncomingMessage) => boolean | Promise<boolean>;
  /** The request has a valid key. `protocol` is the offered subprotocol that contained it. Default: yes. */
  readonly authenticate?: (request: IncomingMessage) => Authentication | Promise<Authentication>;
  /** The key of an open connection still works. Default: yes. */
  readonly isActive?: (access: Access) => boolean;
}

export interface Authentication {
  readonly ok: boolean;
  readonly protocol?: string | undefined;
  /** What the key may do; undefined without one. */
  readonly access?: Access | undefined;
  /** Why `ok` is false. Default: the key. */
  readonly reason?: string;
}

/** The decision on an upgrade request. `refused` completes the upgrade and closes with 1008: otherwise a client cannot see the reason. */
export type Verdict =
  | { readonly kind: "rejected"; readonly status: "403 Forbidden" | "404 Not Found"; readonly detail: string }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "accepted"; readonly protocol: string | undefined; readonly access: Access | undefined };

/** Decides on an upgrade request. Rejects if a check rejects. */
export async function checkUpgrade(request: IncomingMessage, checks: AccessChecks): Promise<Verdict> {
  if (!(livePaths as readonly string[]).includes(target(request).pathname)) {
    return { kind: "rejected", status: "404 Not Found", detail: `WebSockets are at ${livePaths.join(" and ")}` };
  }
  if (checks.allowHost && !checks.allowHost(request)) {
    return { kind: "rejected", status: "403 Forbidden", detail: foreignHost(request.headers.host) };
  }
  if (!(checks.allowOrigin ?? originIsOurs)(request)) return { kind: "refused", reason: refusals.origin };
  if (checks.allowConnection && !(await checks.allowConnection(request))) return { kind: "refused", reason: refusals.limit };
  const authentication = (await checks.authenticate?.(request)) ?? { ok: true };
  if (!authentication.ok) return { kind: "refused", reason: authentication.reason ?? refusals.key };
  return { kind: "accepted", protocol: authentication.protocol, access: authentication.access };
}

/** Replies to an upgrade request with plain HTTP, with `detail` in JSON like every refusal, and ends the connection. */
export function reject(stream: Duplex, status: string, detail: string, headers: Readonly<Record<string, string>> = {}): void {
  // without a reader, the end of the connection would go unnoticed
  stream.end(rawRefusal(status, detail, headers), () => stream.destroy());
}

/** The `since` of the query: a sequence, undefined if it is missing, or the text if it is not a sequence. */
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

/** A page in a browser may connect only to the host that it came from. Programs send no origin. */
function originIsOurs({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || isOwnOrigin(origin, host);
}
