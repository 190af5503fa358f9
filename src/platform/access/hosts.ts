import { isIP } from "node:net";
import { hostname } from "node:os";
import ipaddr from "ipaddr.js";
import { isLoopback } from "../config/cross-checks.ts";

/** Returns the error text for a request to a host that is not served. */
export function foreignHost(hostHeader: string | undefined): string {
  return `This daemon does not serve the host ${hostHeader}; add it to ALLOWED_HOSTS if it is a name of this machine`;
}

/**
 * Tells whether a `Host` header names this machine: an IP literal, `localhost`, its own name, `*.local`, or an entry of `ALLOWED_HOSTS`
 * (`*.example.net` covers every name below). A name that an attacker's DNS points here does not, so a page in a browser on this network
 * cannot read from us. The check concerns only browsers, which always send the header: a request without one passes.
 */
export function isHostAllowed(hostHeader: string | undefined, allowedHosts: readonly string[], ownName = hostname()): boolean {
  if (hostHeader === undefined || hostHeader === "") return true;
  const name = hostHeader
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
  if (isIP(name) !== 0 || name === "localhost" || name === ownName.toLowerCase() || /^[^.]+(\.[^.]+)*\.local$/.test(name)) return true;
  return allowedHosts.some((entry) => {
    const allowed = entry.toLowerCase();
    return allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) : name === allowed;
  });
}

/** Networks that can reach a listen address: this machine, the networks of a house or a business, or the internet. */
export type Exposure = "loopback" | "private" | "public";

/** Returns the networks that reach `host`; `addresses` are those of the machine, for a host that stands for all of them. */
export function exposureOf(host: string, addresses: readonly string[]): Exposure {
  if (isLoopback(host)) return "loopback";
  const listening = ["0.0.0.0", "::", "::0"].includes(host) ? addresses : [host];
  return listening.some(isPublicAddress) ? "public" : "private";
}

/** Tells whether an address is public on the internet. A text that is not an address is not. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  return isIP(plain) !== 0 && ipaddr.process(plain).range() === "unicast";
}
