import type { IncomingMessage } from "node:http";
import { operations } from "../src/all-operations.ts";
import type { Lifecycle } from "../src/base/lifecycle/lifecycle.ts";
import { formatRoles } from "../src/platform/config/roles.ts";
import { createKeyring } from "../src/platform/keys/keyring.ts";
import { createLimiter } from "../src/platform/limits/limiter.ts";
import { allowancesOf, sessionAllowances } from "../src/platform/limits/tiers.ts";
import { checkSignature, type SignatureState } from "../src/platform/secrets/signed-address.ts";
import type { OperationContext } from "../src/work/operations/operation.ts";
import { createApp } from "./http/app.ts";
import type { OnWrongKey } from "./http/authenticate.ts";
import { clientAddressBehind } from "./http/client-address.ts";
import { listen } from "./http/listen.ts";
import type { RequestCounter } from "./http/stats.ts";
import { pageFolder, servePage } from "./http/web-page.ts";
import type { WrongKeys } from "./http/wrong-keys.ts";
import { createAccessChecks } from "./live/access-checks.ts";
import { createHub, type Hub } from "./live/hub.ts";
import type { RequestStep } from "./receivers/receivers.ts";
import type { Tls } from "./tls/tls.ts";

/** How much of the live connections one client may take. `RATE_LIMIT_ENABLED=false` switches these limits off with the others. */
const liveLimits = { connections: { perAddress: 50, inAll: 200 }, messages: { perSecond: 20, burst: 20 } };

/** The addresses of the API and the live connections. */
export interface Serving {
  readonly url: string;
  readonly port: number;
  readonly hub: Hub;
}

/**
 * Listens for HTTP and WebSocket, and registers how to stop. Everything that a reply may need must exist already. The caller starts the hub
 * later: its start waits for the database, and the first request may arrive before that.
 */
export async function startServing(
  context: OperationContext,
  options: {
    readonly lifecycle: Lifecycle;
    readonly tls: Tls | undefined;
    readonly version: string;
    readonly counter: RequestCounter;
    readonly wrongKeys: WrongKeys;
    readonly strictReplies: boolean;
    /** Answers uploads of cameras; undefined without the role `receive`. */
    readonly uploads: RequestStep | undefined;
  },
): Promise<Serving> {
  const { db, store, config, clock, log, namedKeys } = context;
  const { lifecycle, tls } = options;
  const keyring = config.apiKeyEnabled ? createKeyring(config.apiKeys) : undefined;
  const limiting = { store, clock, log: log.child({ part: "limits" }) };
  const limiter = config.rateLimitEnabled ? createLimiter({ ...limiting, allowances: allowancesOf(config) }) : undefined;
  const sessionLimiter = config.rateLimitEnabled ? createLimiter({ ...limiting, allowances: sessionAllowances }) : undefined;
  const clientAddress = clientAddressBehind(config.trustedProxyIps);
  const onWrongKey: OnWrongKey = (request) => options.wrongKeys.record(clientAddress(request));
  const app = createApp({
    operations,
    context,
    log: log.child({ part: "http" }),
    allowedHosts: config.allowedHosts,
    corsOrigins: config.corsOrigins,
    keyring,
    namedKeys,
    onWrongKey,
    signatureOf: config.mediaRequiresKey ? (request) => signatureOf(request, context) : undefined,
    clientAddress,
    rateLimit: limiter && { limiter, clientAddress, sessionLimiter },
    counter: options.counter,
    strictReplies: options.strictReplies,
    uploads: options.uploads,
    page: config.webEnabled ? servePage(pageFolder()) : undefined,
    rolesWithoutApi: config.roles.includes("api") ? undefined : formatRoles(config.roles),
  });
  const listening = await listen({ app, host: config.host, port: config.port, keyPair: tls?.pair });
  tls?.onRenewal((pair) => listening.setKeyPair(pair));
  lifecycle.onStop("http", () => listening.close(), 3_000);
  const hub = createHub({
    server: listening.server,
    db,
    config: { websocketIdleTimeoutSeconds: config.websocketIdleTimeoutSeconds },
    clock,
    log: log.child({ part: "live" }),
    version: options.version,
    limits: limiter && { ...liveLimits, clientAddress },
    ...createAccessChecks({
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.corsOrigins,
      limiter,
      sessionLimiter,
      clientAddress,
      keyring,
      namedKeys,
      onWrongKey,
      token: config.websocketToken,
    }),
  });
  const unfollow = namedKeys?.onChange(() => hub.closeEnded());
  lifecycle.onStop("keys of live connections", () => unfollow?.());
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  return { url: `${tls ? "https" : "http"}://${host}:${listening.port}`, port: listening.port, hub };
}

function signatureOf({ url = "" }: IncomingMessage, { sealer, clock }: OperationContext): SignatureState {
  const [path = "", query = ""] = url.split("?", 2);
  return checkSignature(path, new URLSearchParams(query), sealer, clock.now());
}
