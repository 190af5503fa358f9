import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isIn, plainHost } from "./address.ts";

/** What OUTBOUND_ALLOW lets through. */
export interface Allowance {
  /**
   * Why a host must not be called, or undefined when it may. A name may by itself, or by all its addresses; `addresses`
   * of an address is that address. A name without addresses is decided when it has some.
   */
  refusal(host: string, addresses: readonly string[]): string | undefined;
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Reads entries such as `hooks.example.org`, `*.lan`, `10.1.2.3` and `10.0.0.0/8`. Without any everything may be called. */
export function allowanceOf(entries: readonly string[]): Allowance {
  const hosts = entries.map(plainHost);
  const names = hosts.filter((host) => rangeOf(host) === undefined);
  const ranges = hosts.map(rangeOf).filter((range) => range !== undefined);
  const isNamed = (host: string): boolean =>
    names.some((name) => (name.startsWith("*.") ? host.endsWith(name.slice(1)) && host.length >= name.length : host === name));
  const isInRange = (address: string): boolean => {
    const parsed = ipaddr.process(address.replace(/%.*$/, ""));
    return ranges.some((range) => isIn(parsed, range));
  };
  return {
    refusal(host, addresses) {
      if (entries.length === 0 || isNamed(host)) return undefined;
      if (addresses.length === 0 && isIP(host) === 0 && ranges.length > 0) return undefined;
      if (addresses.length > 0 && addresses.every(isInRange)) return undefined;
      const where = addresses.length === 0 || addresses[0] === host ? host : `${host} (${addresses.join(", ")})`;
      return `${where} is not among the targets of OUTBOUND_ALLOW; add it there, and start homesec again`;
    },
  };
}

function rangeOf(entry: string): Range | undefined {
  const [address = "", bits] = entry.split("/");
  if (isIP(address) === 0) return undefined;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && Number(bits ?? 128) >= 96)
    return [parsed.toIPv4Address(), Number(bits ?? 128) - 96];
  return [parsed, bits === undefined ? parsed.toByteArray().length * 8 : Number(bits)];
}
