import { readFile } from "node:fs/promises";
import { connect, isIP } from "node:net";
import { join } from "node:path";
import { pluralize } from "../../../base/text/format.ts";
import { exposureOf, isHostAllowed, isPublicAddress } from "../../../platform/access/hosts.ts";
import type { Config } from "../../../platform/config/config.ts";
import { isLoopback } from "../../../platform/config/cross-checks.ts";
import { plainHost } from "../../../platform/outbound/address.ts";
import { type Check, finding, NotPossible, type Outcome, ok, parts, skipped } from "../check.ts";
import type { Examination } from "../examination.ts";
import { resolveWithGetent } from "../names.ts";
import { listed } from "../wording.ts";

type Exposure = ReturnType<typeof exposureOf>;

const access: Check = {
  id: "access",
  replaces: ["rate-limits", "plain-http"],
  group: "access",
  title: "Access to the API",
  severity: "warning",
  finds:
    "HOST is open to others without an API key (an error on a public address), without rate limits, or on a public address without TLS",
  fix: "homesec keys generate, or HOST=127.0.0.1; RATE_LIMIT_ENABLED=true; TLS_MODE=self_signed or a proxy with TLS",
  run: (examination) => {
    const { addresses } = examination.machine;
    if (addresses.length === 0) throw new NotPossible("the addresses of this machine are unknown");
    const config = examination.config();
    const exposure = exposureOf(config.host, addresses);
    if (exposure === "loopback") return ok("this machine only");
    return [keyRequired(config, exposure), rateLimited(config), encrypted(config, exposure)];
  },
};

function keyRequired({ host, apiKeyEnabled }: Config, exposure: Exposure): Outcome {
  if (apiKeyEnabled) return ok("requires an API key");
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

const keys: Check = {
  id: "api-keys",
  group: "access",
  title: "Strength of keys and tokens",
  severity: "warning",
  finds: "An API key or WEBSOCKET_TOKEN can be guessed: it has fewer than 20 characters, or fewer than 8 different ones",
  fix: "homesec keys generate",
  run: (examination) => {
    const { apiKeyEnabled, apiKeys, websocketToken } = examination.config();
    if (!apiKeyEnabled && websocketToken === undefined) return skipped("no key is required");
    const weak = apiKeyEnabled ? apiKeys.filter(isWeak).length : 0;
    const names = [
      ...(weak > 0 ? [`${pluralize(weak, "key")} of API_KEYS`] : []),
      ...(websocketToken !== undefined && isWeak(websocketToken) ? ["WEBSOCKET_TOKEN"] : []),
    ];
    if (names.length === 0) return ok();
    return finding(`${names.join(" and ")} can be guessed`, "Replace each one with the output of homesec keys generate");
  },
};

function isWeak(key: string): boolean {
  return key.length < minKeyLength || new Set(key).size < minKeyCharacters;
}

const proxies: Check = {
  id: "trusted-proxies",
  group: "access",
  title: "Trusted proxies",
  severity: "error",
  finds: "TRUSTED_PROXY_IPS trusts everyone: any client can fake its address and bypass the rate limits",
  fix: "Set TRUSTED_PROXY_IPS to the addresses of your proxies",
  run: (examination) => {
    const { trustedProxyIps } = examination.config();
    if (trustedProxyIps.length === 0) return ok("none");
    const wide = trustedProxyIps.filter((range) => Number(range.split("/")[1] ?? 128) <= 1);
    if (wide.length === 0) return ok(trustedProxyIps.join(", "));
    return finding(
      `TRUSTED_PROXY_IPS contains ${wide.join(", ")}: homesec trusts X-Forwarded-For from everyone`,
      "List only the addresses of your proxies, such as TRUSTED_PROXY_IPS=127.0.0.1",
    );
  },
};

const localNames = /\.(local|lan|home|internal|localdomain|localhost)$/i;

const hosts: Check = {
  id: "allowed-hosts",
  replaces: ["cors-origins"],
  group: "access",
  title: "Allowed hosts and origins",
  severity: "error",
  finds:
    "ALLOWED_HOSTS rejects the host of PUBLIC_URL. A warning when it allows a whole top-level domain, or CORS_ORIGINS an unencrypted page on another network",
  fix: "Add the host to ALLOWED_HOSTS, and no more than you need; write origins with https://",
  run: (examination) => {
    const config = examination.config();
    return [allowedHosts(config, examination.machine.hostName), corsOrigins(config)];
  },
};

function allowedHosts({ publicUrl, allowedHosts }: Config, hostName: string): Outcome {
  const wide = allowedHosts.filter((entry) => /^\*\.[^.]+$/.test(entry) && !localNames.test(entry));
  if (wide.length > 0) {
    return finding(
      `ALLOWED_HOSTS contains ${wide.join(", ")}: a malicious web page could read from homesec`,
      "List the hosts, such as ALLOWED_HOSTS=home.example.net",
      "warning",
    );
  }
  if (publicUrl === undefined) return ok();
  const { host, hostname } = new URL(publicUrl);
  if (isHostAllowed(host, allowedHosts, hostName)) return ok(host);
  return finding(
    `PUBLIC_URL is ${hostname}, but homesec rejects requests for it with 403`,
    `ALLOWED_HOSTS=${[...allowedHosts, hostname].join(",")}`,
  );
}

function corsOrigins({ corsOrigins }: Config): Outcome {
  const open = corsOrigins.filter(
    (origin) => URL.canParse(origin) && new URL(origin).protocol === "http:" && isRemote(new URL(origin).hostname),
  );
  if (open.length === 0) return ok();
  return finding(
    `CORS_ORIGINS contains ${listed(open, 5, ", ")}: without TLS, an attacker in between can replace that page`,
    `Serve the page with TLS and write ${open.map((origin) => origin.replace("http:", "https:")).join(",")}`,
    "warning",
  );
}

/** Whether a host is outside of the home network, as far as its name or address tells. */
function isRemote(hostname: string): boolean {
  const host = plainHost(hostname);
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes(".") && !localNames.test(host);
}

const port: Check = {
  id: "port",
  replaces: ["host-address"],
  group: "access",
  title: "Address and port",
  severity: "error",
  finds: "HOST is not an address of this machine, another program uses PORT, or this user may not listen on it",
  fix: "Correct HOST; stop the other program, or set another PORT",
  run: (examination, signal) =>
    parts(
      () => hostAddress(examination),
      () => freePort(examination, signal),
    ),
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

export const accessChecks: readonly Check[] = [access, keys, proxies, hosts, port];
