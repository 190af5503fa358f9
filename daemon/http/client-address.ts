import type { IncomingMessage } from "node:http";
import { BlockList, isIP, SocketAddress } from "node:net";

/** Returns the client address of a request. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Returns the address of the direct peer or, behind a trusted proxy, the first entry of `X-Forwarded-For`. Returns `unknown` if the peer
 * has disconnected. Each machine has one notation: IPv6 in its short form, and IPv4 for IPv4 addresses mapped into IPv6.
 */
export function clientAddressBehind(trustedProxies: readonly string[]): ClientAddress {
  const trusted = rangesOf(trustedProxies);
  return (request) => {
    const peer = canonicalAddress(request.socket.remoteAddress ?? "");
    if (peer === undefined) return "unknown";
    if (!trusted.check(peer, familyOf(peer))) return peer;
    const forwarded = request.headers["x-forwarded-for"];
    const first = typeof forwarded === "string" ? forwarded.split(",")[0] : undefined;
    return canonicalAddress(withoutPort(first?.trim() ?? "")) ?? peer;
  };
}

/** Builds a list of addresses and ranges such as `10.0.0.0/8`. The configuration has validated them. */
function rangesOf(entries: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const canonical = canonicalAddress(address) ?? address;
    const family = familyOf(canonical);
    const length = prefix === undefined ? undefined : Number(prefix);
    // A range within ::ffff:0:0/96 is a range of IPv4 addresses.
    const isMapped = family === "ipv4" && isIP(address) === 6;
    if (length === undefined) ranges.addAddress(canonical, family);
    else if (isMapped && length < 96) ranges.addSubnet(address, length, "ipv6");
    else ranges.addSubnet(canonical, isMapped ? length - 96 : length, family);
  }
  return ranges;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

const mappedPrefix = "::ffff:";

/** Returns the canonical form of an address, or undefined if the text is not an address. */
function canonicalAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0) return undefined;
  const { address } = new SocketAddress({ address: text.replace(/%.*$/, ""), family: "ipv6" });
  const inner = address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : "";
  return isIP(inner) === 4 ? inner : address;
}

/** Strips brackets and port from `192.0.2.1:80` and `[2001:db8::1]:80`, which some proxies send. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
