import { readFile } from "node:fs/promises";
import { connect, isIP } from "node:net";
import { join } from "node:path";
import { channelAvailability } from "../../../alerting/channels/availability.ts";
import { pluralize } from "../../../base/text/format.ts";
import { exposureOf, isHostAllowed } from "../../../platform/access/hosts.ts";
import type { Config } from "../../../platform/config/config.ts";
import { isLoopback } from "../../../platform/config/cross-checks.ts";
import { plainHost } from "../../../platform/outbound/address.ts";
import { type Check, finding, NotPossible, type Outcome, ok, parts } from "../check.ts";
import type { Examination } from "../examination.ts";
import { resolveWithGetent } from "../names.ts";

type Exposure = ReturnType<typeof exposureOf>;

const access: Check = {
  id: "access",
  replaces: ["rate-limits", "plain-http", "api-keys", "trusted-proxies"],
  group: "access",
  title: "Access to the API",
  severity: "warning",
  finds:
    "HOST is open to others without an API key (an error on a public address), or on a public address without one for pictures, without rate limits, or on a public address without TLS; a key can be guessed; TRUSTED_PROXY_IPS (an error) trusts everyone",
  run: (examination) => {
    const { addresses } = examination.machine;
    if (addresses.length === 0) throw new NotPossible("the addresses of this machine are unknown");
    const config = examination.config();
    const exposure = exposureOf(config.host, addresses);
    const always = [strongKeys(config), narrowProxies(config)];
    if (exposure === "loopback") return [ok("this machine only"), ...always];
    return [keyRequired(config, exposure), rateLimited(config), encrypted(config, exposure), ...always];
  },
};

function keyRequired({ host, apiKeyEnabled, mediaRequiresKey }: Config, exposure: Exposure): Outcome {
  if (apiKeyEnabled && exposure === "public" && !mediaRequiresKey) {
    return finding(
      `HOST=${host} has a public address, and pictures need no API key: everyone on the internet can see them`,
      "Set MEDIA_REQUIRES_KEY=true",
    );
  }
  if (apiKeyEnabled) return ok(mediaRequiresKey ? "requires an API key" : "requires an API key, except for pictures (MEDIA_REQUIRES_KEY)");
  const who = exposure === "public" ? "everyone on the internet" : "everyone in the network";
  return finding(
    `HOST=${host} without an API key: ${who} can see the pictures and change everything`,
    "homesec keys generate, then set API_KEY_ENABLED=true and API_KEYS to its output; or HOST=127.0.0.1",
    exposure === "public" ? "error" : "warning",
  );
}

function rateLimited({ rateLimitEnabled, host }: Config): Outcome {
  if (rateLimitEnabled) return ok();
  return finding(
    `RATE_LIMIT_ENABLED=false with HOST=${host}: attackers can try API keys without limit`,
    "Remove RATE_LIMIT_ENABLED, or set it to true",
  );
}

function encrypted({ tlsMode, trustedProxyIps, host }: Config, exposure: Exposure): Outcome {
  if (tlsMode !== "disabled" || exposure !== "public" || trustedProxyIps.length > 0) return ok();
  return finding(
    `HOST=${host} has a public address and TLS_MODE is disabled: keys and pictures can be read in transit`,
    "TLS_MODE=self_signed; or TLS_MODE=provided with TLS_CERT_PATH and TLS_KEY_PATH",
  );
}

/** A key of `homesec keys generate` has 46 characters. */
const minKeyLength = 20;
const minKeyCharacters = 8;

function strongKeys({ apiKeyEnabled, apiKeys, websocketToken }: Config): Outcome {
  const weak = apiKeyEnabled ? apiKeys.filter(isWeak).length : 0;
  const names = [
    ...(weak > 0 ? [`${pluralize(weak, "key")} of API_KEYS`] : []),
    ...(websocketToken !== undefined && isWeak(websocketToken) ? ["WEBSOCKET_TOKEN"] : []),
  ];
  if (names.length === 0) return ok();
  return finding(`${names.join(" and ")} can be guessed`, "Replace each one with the output of homesec keys generate");
}

function isWeak(key: string): boolean {
  return key.length < minKeyLength || new Set(key).size < minKeyCharacters;
}

function narrowProxies({ trustedProxyIps }: Config): Outcome {
  const wide = trustedProxyIps.filter((range) => Number(range.split("/")[1] ?? 128) <= 1);
  if (wide.length === 0) return ok();
  return finding(
    `TRUSTED_PROXY_IPS contains ${wide.join(", ")}: any client can fake its address with X-Forwarded-For, and bypass the rate limits`,
    "List only the addresses of your proxies, such as TRUSTED_PROXY_IPS=127.0.0.1",
    "error",
  );
}

const allowedHosts: Check = {
  id: "allowed-hosts",
  replaces: ["cors-origins", "public-url"],
  group: "access",
  title: "Address of PUBLIC_URL",
  severity: "error",
  finds: "ALLOWED_HOSTS rejects the host of PUBLIC_URL. A warning when the links in mails lead to localhost",
  run: (examination) => {
    const config = examination.config();
    const { publicUrl, allowedHosts } = config;
    if (publicUrl === undefined) return ok();
    const { host, hostname } = new URL(publicUrl);
    if (!isHostAllowed(host, allowedHosts, examination.machine.hostName))
      return finding(
        `PUBLIC_URL is ${hostname}, but homesec rejects requests for it with 403`,
        `ALLOWED_HOSTS=${[...allowedHosts, hostname].join(",")}`,
      );
    if (!isLoopback(plainHost(hostname)) || !channelAvailability(config).email.usable) return ok(host);
    return finding(
      `The links in mails lead to ${hostname}, which works only on this machine`,
      "Set PUBLIC_URL to the address of homesec in your network, such as https://home.example.net",
      "warning",
    );
  },
};

const port: Check = {
  id: "port",
  replaces: ["host-address"],
  group: "access",
  title: "Address and port",
  severity: "error",
  needsTerminal: "the daemon itself listens there, so it cannot see whether another program would",
  finds: "HOST is not an address of this machine, another program uses PORT, or this user may not listen on it",
  run: parts(hostAddress, freePort),
};

async function hostAddress({ machine, config }: Examination): Promise<Outcome> {
  const { host } = config();
  if (isLoopback(host) || ["0.0.0.0", "::", "::0"].includes(host)) return ok(host);
  const own = machine.addresses.map((address) => address.replace(/%.*$/, "").toLowerCase());
  const found = isIP(host) === 0 ? await resolveWithGetent(machine)(host).catch(() => []) : [host.toLowerCase()];
  const choose = "Correct HOST: 127.0.0.1 accepts this machine only, 0.0.0.0 listens on all its addresses";
  if (found.length === 0) return finding(`HOST=${host} cannot be resolved`, choose);
  if (found.some((address) => own.includes(address.toLowerCase()) || isLoopback(address))) return ok(host);
  return finding(`HOST=${host} is not an address of this machine`, `${choose}. This machine has ${own.join(", ")}`);
}

async function freePort(examination: Examination, signal: AbortSignal): Promise<Outcome> {
  const { machine } = examination;
  const { host, port } = examination.config();
  if (port === 0) return ok("PORT=0 takes any free port");
  const daemon = await examination.lookForDaemon();
  const holder = await examination.holder();
  if ("client" in daemon || holder?.lives) return ok(`homesec uses port ${port}`);
  const path = join(machine.proc, "sys", "net", "ipv4", "ip_unprivileged_port_start");
  const first = Number(await readFile(path, "utf8").catch(() => "1024"));
  if (port < first && machine.uid !== 0 && machine.uid !== undefined) {
    return finding(
      `PORT=${port} requires root, like all ports below ${first}`,
      "Set PORT=8000 and put a proxy in front, or add AmbientCapabilities=CAP_NET_BIND_SERVICE to the unit file",
    );
  }
  const address = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  if (!(await acceptsConnections(address, port, signal))) return ok(`port ${port} is free`);
  return finding(
    `Another program listens on ${host}:${port}, so homesec cannot`,
    `Find it with sudo ss -ltnp 'sport = :${port}' and stop it, or set another PORT`,
  );
}

const connectTimeoutMs = 1_000;

function acceptsConnections(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal, timeout: connectTimeoutMs });
    const end = (isTaken: boolean): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.on("error", () => end(false));
  });
}

export const accessChecks: readonly Check[] = [access, allowedHosts, port];
