import type { IncomingMessage } from "node:http";
import { refusals } from "../../src/contract/live.ts";
import { isHostAllowed } from "../../src/platform/access/hosts.ts";
import { createKeyring } from "../../src/platform/keys/keyring.ts";
import type { Limiter } from "../../src/platform/limits/limiter.ts";
import { type AcceptedKeys, countedBrowser, identifyKey, identifySession, type OnWrongKey, queryValue } from "../http/authenticate.ts";
import type { ClientAddress } from "../http/client-address.ts";
import { isOwnOrigin } from "../http/host.ts";
import type { AccessChecks, Authentication } from "./handshake.ts";

const keyProtocol = "api-key.";

export interface AccessCheckOptions extends AcceptedKeys {
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may connect in addition to pages of this host. */
  readonly allowedOrigins: readonly string[];
  /** Without it, connections are not counted. */
  readonly limiter?: Limiter | undefined;
  /** Counts the connections of a session. Without it, they count for their address. */
  readonly sessionLimiter?: Limiter | undefined;
  readonly clientAddress: ClientAddress;
  readonly onWrongKey?: OnWrongKey | undefined;
  /** Without it, the `token` of the query is ignored. */
  readonly token?: string | undefined;
}

/** Creates the access checks of WebSocket connections. They follow the same rules as those of HTTP requests. */
export function createAccessChecks(options: AccessCheckOptions): AccessChecks {
  const { allowedHosts, allowedOrigins, limiter, clientAddress, onWrongKey, token } = options;
  const tokens = token === undefined ? undefined : createKeyring([token]);
  return {
    allowHost: ({ headers }) => isHostAllowed(headers.host, allowedHosts),
    allowOrigin: ({ headers: { origin, host } }) => origin === undefined || allowedOrigins.includes(origin) || isOwnOrigin(origin, host),
    allowConnection: async (request) => {
      const address = clientAddress(request);
      const browser = options.sessionLimiter && countedBrowser(request, options, address);
      const counted = browser === undefined ? limiter?.count("websocket", address) : options.sessionLimiter?.count("websocket", browser);
      return (await counted) === undefined;
    },
    authenticate: async (request) => {
      const key = checkKey(request, options);
      if (!key.ok && isGiven(request)) await onWrongKey?.(request);
      if (key.access?.keyId !== undefined) options.namedKeys?.noteUse(key.access.keyId);
      // The token was made for programs; a session is worth more.
      if (key.access?.kind === "session") return key;
      if (!key.ok || tokens?.accepts(queryValue(request, "token") ?? "") !== false) return key;
      return { ok: false, reason: refusals.token };
    },
    isActive: ({ keyId }) => keyId === undefined || options.namedKeys?.isActive(keyId) !== false,
  };
}

/** Checks the key in the query, else in the subprotocol `api-key.<KEY>`, else the cookie of a session. */
function checkKey(request: IncomingMessage, keys: AcceptedKeys): Authentication {
  const inQuery = queryValue(request, "api_key");
  const protocol = inQuery === undefined ? keyProtocolOf(request) : undefined;
  const key = inQuery ?? protocol?.slice(keyProtocol.length);
  const identity = key === undefined ? identifySession(request, keys) : identifyKey(key, keys);
  if (identity.kind === "known") return { ok: true, protocol, access: identity.access };
  return { ok: keys.keyring === undefined && identity.kind !== "ended" };
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
