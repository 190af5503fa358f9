import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isIn, plainHost } from "./address.ts";

/** The rules of OUTBOUND_ALLOW. */
export interface Allowance {
  /**
   * Returns why a host must not be called; undefined if it may. A name is allowed if an entry names it, or by all its addresses; for an
   * address, `addresses` contains only that address. A name without addresses is judged once it has some.
   */
  refusal(host: string, addresses: readonly string[]): string | undefined;
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses entries such as `hooks.example.org`, `*.lan`, `10.1.2.3` and `10.0.0.0/8`. Without entries, every host is allowed. */
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
      return `${where} is not in OUTBOUND_ALLOW; add it there and restart homesec`;
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
