import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { plainHost } from "./address.ts";
import { type Resolve, resolveBySystem } from "./resolve.ts";

/** Ranges of this machine and of the networks behind a router. Others, such as those of a provider or a VPN, may be anywhere. */
const nearRanges: ReadonlySet<string> = new Set(["loopback", "private", "uniqueLocal"]);

/** Tells whether an IP address is one of this machine or of a private network. */
export function isNearAddress(address: string): boolean {
  const plain = plainHost(address).replace(/%.*$/, "");
  if (isIP(plain) === 0) return false;
  const parsed = ipaddr.parse(plain);
  const inner = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
  return nearRanges.has(inner.range());
}

/**
 * Tells whether the host of a URL is in this network: an address of this machine or of a private network, or a name with no other address.
 * A name that does not resolve is not.
 */
export async function isInNetwork(url: string, resolve: Resolve = resolveBySystem): Promise<boolean> {
  if (!URL.canParse(url)) return false;
  const host = plainHost(new URL(url).hostname);
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host];
  return addresses.length > 0 && addresses.every(isNearAddress);
}

/** Resolves names to addresses in this network only. Fails for a name that has any other. */
export function inNetwork(resolve: Resolve): Resolve {
  return async (name) => {
    const addresses = await resolve(name);
    if (!addresses.every(isNearAddress)) throw new Error(outsideText(name));
    return addresses;
  };
}

/** Returns why a host that is an address must not get what stays in this network; undefined if it may, or if only a lookup tells. */
export function refusalOutside(hostname: string): string | undefined {
  const host = plainHost(hostname);
  return isIP(host) === 0 || isNearAddress(host) ? undefined : outsideText(host);
}

const outsideText = (host: string): string => `${host} is outside of this network, where pictures must not go`;
