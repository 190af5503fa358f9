import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type Resolve, resolveBySystem } from "./resolve.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Address ranges that requests are never sent to: link-local, multicast and unassigned ones. */
const refusedRanges: ReadonlySet<string> = new Set([
  "unspecified",
  "broadcast",
  "multicast",
  "linkLocal",
  "reserved",
  "discard",
  "benchmarking",
  "deprecatedOrchid",
  "orchid2",
  "droneRemoteIdProtocolEntityTags",
  "segmentRouting",
]);

/** Services that give a machine its provider's secrets, at addresses that are not link-local. */
const metadata = [
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fd00:42::42/128",
  "fd00:c1::a9fe:a9fe/128",
  "fd00:ec2::/32",
  "fd20:ce::254/128",
].map((range) => ipaddr.parseCIDR(range));

const metadataNames = new Set([
  "instance-data",
  "metadata",
  "metadata.azure.internal",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "metadata.tencentyun.com",
  "rancher-metadata",
]);

/** Routers that represent other networks return these addresses for every name, so they are ordinary targets. */
const standIns = ipaddr.IPv4.parseCIDR("198.18.0.0/15");

/** Returns a host name or address in the form for comparison: lower case, without the final dot and brackets. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[(.*)\]$/, "$1");
}

/** Tells whether an IP address is link-local, a provider's metadata service, multicast or unassigned. */
export function isRefusedAddress(address: string): boolean {
  const plain = plainHost(address).replace(/%.*$/, "");
  // A text that is not an address cannot be checked
  if (isIP(plain) === 0) return true;
  return isRefused(ipaddr.parse(plain));
}

function isRefused(address: Address): boolean {
  if (metadata.some((range) => isIn(address, range))) return true;
  if (address instanceof ipaddr.IPv4) return !address.match(standIns) && refusedRanges.has(address.range());
  return refusedRanges.has(address.range()) || innerAddresses(address).some(isRefused);
}

/** Tells whether an address lies in a range of the same family. */
export function isIn(address: Address, [network, bits]: readonly [Address, number]): boolean {
  return address.kind() === network.kind() && address.match([network, bits] as never);
}

/** Returns the IPv4 addresses embedded in an IPv6 address. */
function innerAddresses(address: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  const parts = address.parts;
  const v4 = (high = 0, low = 0): ipaddr.IPv4 => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);
  const last = v4(parts[6], parts[7]);
  switch (address.range()) {
    case "ipv4Mapped":
    case "rfc6145":
      return [last];
    case "rfc6052":
      return parts[2] === 0 ? [last] : innerOfLocalNat64(parts).map(([high, low]) => v4(high, low));
    case "6to4":
      return [v4(parts[1], parts[2])];
    case "teredo":
      // The Teredo server, and the client with all bits inverted
      return [v4(parts[2], parts[3]), v4((parts[6] ?? 0) ^ 0xffff, (parts[7] ?? 0) ^ 0xffff)];
    case "unicast":
    case "uniqueLocal":
      // IPv4-compatible, and ISATAP in any network
      if (parts.slice(0, 6).every((part) => part === 0) || (((parts[4] ?? 0) & ~0x0200) === 0 && parts[5] === 0x5efe)) return [last];
      return [];
    default:
      return [];
  }
}

/** Local NAT64 (64:ff9b:1::/48) puts the address at one of four positions (RFC 6052); only that network knows which. */
function innerOfLocalNat64(parts: readonly number[]): readonly (readonly [number, number])[] {
  const [, , , third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = parts;
  const places = [
    [third, ((fourth & 255) << 8) | (fifth >> 8)],
    [((third & 255) << 8) | (fourth & 255), fifth],
    [((fourth & 255) << 8) | (fifth >> 8), ((fifth & 255) << 8) | (sixth >> 8)],
    [sixth, seventh],
  ] as const;
  // The other positions look like zeros
  const used = places.filter(([high]) => high >> 8 !== 0);
  return used.length > 0 ? used : [[0, 0]];
}

/** Returns why a name must not be called, regardless of its addresses; undefined if it may. Names are in the form of `plainHost`. */
export function refusalOfName(name: string): string | undefined {
  return metadataNames.has(name) || name.startsWith("instance-data.") ? `${name} is a metadata service` : undefined;
}

/** Returns why a name or an address must not be called, based on all its addresses; undefined if it may. */
export function refusalOfAddresses(host: string, addresses: readonly string[]): string | undefined {
  const bad = addresses.find(isRefusedAddress);
  if (bad === undefined) return undefined;
  return bad === host ? `${host} is a link-local or reserved address` : `${host} is at ${bad}, a link-local or reserved address`;
}

/** Returns why a service on the internet cannot have this host, based on all its addresses; undefined if it can. */
export function refusalOfPrivate(host: string, addresses: readonly string[]): string | undefined {
  const isPublic = (address: string): boolean => {
    const parsed = ipaddr.process(plainHost(address).replace(/%.*$/, ""));
    return parsed.range() === "unicast" || (parsed instanceof ipaddr.IPv4 && parsed.match(standIns));
  };
  const bad = addresses.find((address) => !isPublic(address));
  if (bad === undefined) return undefined;
  const where = bad === host ? host : `${host}, at ${bad},`;
  return `${where} is not on the internet; if you run this service yourself, name every permitted target, this one included, in OUTBOUND_ALLOW`;
}

/**
 * Returns why requests to the host of this URL are refused; undefined if they are allowed. A name is judged by all its current addresses;
 * one without addresses may get one later, which is checked at the connection.
 */
export async function refusalOf(url: string, resolve: Resolve = resolveBySystem): Promise<string | undefined> {
  const host = plainHost(new URL(url).hostname);
  const refusal = refusalOfName(host);
  if (refusal !== undefined) return refusal;
  return refusalOfAddresses(host, isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]);
}
