import { pluralize } from "../../../base/text/pluralize.ts";
import { exposureOf } from "../../../platform/access/exposure.ts";
import { type Check, finding, NotPossible, ok, skipped } from "../check.ts";
import type { Examination } from "../examination.ts";

/** A key of `homesec keys generate` has 46 characters. */
const shortestKey = 20;
const fewestLetters = 8;
const makeKey = "homesec keys generate, then API_KEY_ENABLED=true and API_KEYS as it prints them";

const access: Check = {
  id: "access",
  group: "access",
  title: "Who may use the API",
  severity: "warning",
  finds: "HOST is open to others and no API key is needed; an error when one of the addresses is a public one",
  remedy: "homesec keys generate, or HOST=127.0.0.1",
  run: (examination) => {
    const { host, apiKeyEnabled } = examination.config();
    const exposure = exposed(examination);
    if (exposure === "loopback") return ok("this machine only");
    if (apiKeyEnabled) return ok("a key is needed");
    const who = exposure === "public" ? "everybody on the internet" : "everybody in that network";
    return finding(
      `HOST=${host} and no API key is needed: ${who} can see the pictures and change everything`,
      `${makeKey}; or HOST=127.0.0.1`,
      exposure === "public" ? "error" : "warning",
    );
  },
};

const keys: Check = {
  id: "api-keys",
  group: "access",
  title: "Strength of keys and tokens",
  severity: "warning",
  finds: "An API key or WEBSOCKET_TOKEN can be guessed: fewer than 20 characters, or few different ones",
  remedy: "homesec keys generate",
  run: (examination) => {
    const { apiKeyEnabled, apiKeys, websocketToken } = examination.config();
    if (!apiKeyEnabled && websocketToken === undefined) return skipped("no key is needed");
    const weak = apiKeyEnabled ? apiKeys.filter(isWeak).length : 0;
    const names = [
      ...(weak > 0 ? [`${pluralize(weak, "key")} of API_KEYS`] : []),
      ...(websocketToken !== undefined && isWeak(websocketToken) ? ["WEBSOCKET_TOKEN"] : []),
    ];
    if (names.length === 0) return ok();
    return finding(`${names.join(" and ")} can be guessed`, `Use what this prints instead, once for each: homesec keys generate`);
  },
};

function isWeak(key: string): boolean {
  return key.length < shortestKey || new Set(key).size < fewestLetters;
}

const rateLimits: Check = {
  id: "rate-limits",
  group: "access",
  title: "Rate limits",
  severity: "warning",
  finds: "Rate limits are off while HOST is open to others",
  remedy: "RATE_LIMIT_ENABLED=true",
  run: (examination) => {
    const { rateLimitEnabled, host } = examination.config();
    if (rateLimitEnabled) return ok("on");
    if (exposed(examination) === "loopback") return ok("off, and only this machine may ask");
    return finding(
      `RATE_LIMIT_ENABLED=false with HOST=${host}: keys can be tried without end`,
      "Remove RATE_LIMIT_ENABLED, or set it to true",
    );
  },
};

const plainHttp: Check = {
  id: "plain-http",
  group: "access",
  title: "Encryption of the API",
  severity: "warning",
  finds: "HOST has a public address, and keys and pictures go over the line without TLS",
  remedy: "TLS_MODE=self_signed or provided, or a proxy with TLS in front",
  run: (examination) => {
    const { tlsMode, trustedProxyIps, host } = examination.config();
    if (tlsMode !== "disabled") return ok(tlsMode);
    if (exposed(examination) !== "public") return ok("no public address");
    if (trustedProxyIps.length > 0) return ok("a proxy stands in front");
    return finding(
      `HOST=${host} has a public address and TLS_MODE is disabled: keys and pictures can be read on the way`,
      "TLS_MODE=self_signed; or TLS_MODE=provided with TLS_CERT_PATH and TLS_KEY_PATH",
    );
  },
};

const proxies: Check = {
  id: "trusted-proxies",
  group: "access",
  title: "Trusted proxies",
  severity: "error",
  finds: "TRUSTED_PROXY_IPS trusts everybody: any client can name itself as it likes and pass the rate limits",
  remedy: "Name the addresses of the proxies",
  run: (examination) => {
    const { trustedProxyIps } = examination.config();
    if (trustedProxyIps.length === 0) return ok("none");
    const wide = trustedProxyIps.filter((range) => Number(range.split("/")[1] ?? 128) <= 1);
    if (wide.length === 0) return ok(trustedProxyIps.join(", "));
    return finding(
      `TRUSTED_PROXY_IPS has ${wide.join(", ")}: anybody's X-Forwarded-For is believed`,
      "Name only the addresses of your proxies, such as TRUSTED_PROXY_IPS=127.0.0.1",
    );
  },
};

function exposed(examination: Examination) {
  const { addresses } = examination.machine;
  if (addresses.length === 0) throw new NotPossible("the addresses of this machine are not known");
  return exposureOf(examination.config().host, addresses);
}

export const accessChecks: readonly Check[] = [access, keys, rateLimits, plainHttp, proxies];
