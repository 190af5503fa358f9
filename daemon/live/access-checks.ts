import type { IncomingMessage } from "node:http";
import { refusals } from "../../src/contract/live.ts";
import { isHostAllowed } from "../../src/platform/access/hosts.ts";
import { createKeyring, type Keyring } from "../../src/platform/keys/keyring.ts";
import type { Limiter } from "../../src/platform/limits/limiter.ts";
import { type OnWrongKey, queryValue } from "../http/authenticate.ts";
import type { ClientAddress } from "../http/client-address.ts";
import { isOwnOrigin } from "../http/host.ts";
import type { AccessChecks, Authentication } from "./handshake.ts";

const keyProtocol = "api-key.";

export interface AccessCheckOptions {
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may connect in addition to pages of this host. */
  readonly allowedOrigins: readonly string[];
  /** Without it, connections are not counted. */
  readonly limiter?: Limiter | undefined;
  readonly clientAddress: ClientAddress;
  /** Without it, no key is required. */
  readonly keyring?: Keyring | undefined;
  readonly onWrongKey?: OnWrongKey | undefined;
  /** Without it, the `token` of the query is ignored. */
  readonly token?: string | undefined;
}

/** Creates the access checks of WebSocket connections. They follow the same rules as those of HTTP requests. */
export function createAccessChecks(options: AccessCheckOptions): AccessChecks {
  const { allowedHosts, allowedOrigins, limiter, clientAddress, keyring, onWrongKey, token } = options;
  const tokens = token === undefined ? undefined : createKeyring([token]);
  return {
    allowHost: ({ headers }) => isHostAllowed(headers.host, allowedHosts),
    allowOrigin: ({ headers: { origin, host } }) => origin === undefined || allowedOrigins.includes(origin) || isOwnOrigin(origin, host),
    allowConnection: async (request) => (await limiter?.count("websocket", clientAddress(request))) === undefined,
    authenticate: async (request) => {
      const key = keyring ? checkKey(request, keyring) : { ok: true };
      if (!key.ok && isGiven(request)) await onWrongKey?.(request);
      if (!key.ok || tokens?.accepts(queryValue(request, "token") ?? "") !== false) return key;
      return { ok: false, reason: refusals.token };
    },
  };
}

/** Checks the key in the query. If the query has none, checks the key in the subprotocol `api-key.<KEY>`. */
function checkKey(request: IncomingMessage, keyring: Keyring): Authentication {
  const inQuery = queryValue(request, "api_key");
  if (inQuery !== undefined) return { ok: keyring.accepts(inQuery) };
  const protocol = keyProtocolOf(request);
  if (protocol === undefined || !keyring.accepts(protocol.slice(keyProtocol.length))) return { ok: false };
  return { ok: true, protocol };
}

function isGiven(request: IncomingMessage): boolean {
  return queryValue(request, "api_key") !== undefined || keyProtocolOf(request) !== undefined;
}

function keyProtocolOf(request: IncomingMessage): string | undefined {
  return request.headers["sec-websocket-protocol"]
    ?.split(",")
    .map((entry) => entry.trim())
    .find((entry) => entry.startsWith(keyProtocol));
}
