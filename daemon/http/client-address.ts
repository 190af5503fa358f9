import type { IncomingMessage } from "node:http";
import { BlockList, isIP, SocketAddress } from "node:net";

/** Tells from which address a request comes. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * The address of the direct peer, or, when that is one of the trusted proxies, the first entry of its `X-Forwarded-For`.
 * `unknown` when the peer has gone already. One machine has one address, however it is written: IPv6 is given in its
 * short form, an IPv4 address inside of IPv6 as IPv4.
 */
export function clientAddressBehind(trustedProxies: readonly string[]): ClientAddress {
  const trusted = rangesOf(trustedProxies);
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    if (peer === undefined) return "unknown";
    if (!trusted.check(peer, familyOf(peer))) return peer;
    const forwarded = request.headers["x-forwarded-for"];
    const first = typeof forwarded === "string" ? forwarded.split(",")[0] : undefined;
    return plainAddress(withoutPort(first?.trim() ?? "")) ?? peer;
  };
}

/** Addresses and ranges such as `10.0.0.0/8`, checked by the configuration. */
function rangesOf(entries: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const plain = plainAddress(address) ?? address;
    const family = familyOf(plain);
    const length = prefix === undefined ? undefined : Number(prefix);
    // a range within ::ffff:0:0/96 is a range of IPv4 addresses
    const isMapped = family === "ipv4" && isIP(address) === 6;
    if (length === undefined) ranges.addAddress(plain, family);
    else if (isMapped && length < 96) ranges.addSubnet(address, length, "ipv6");
    else ranges.addSubnet(plain, isMapped ? length - 96 : length, family);
  }
  return ranges;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

const mappedPrefix = "::ffff:";

/** The one form of an address, or undefined for what is none. */
function plainAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0) return undefined;
  const { address } = new SocketAddress({ address: text.replace(/%.*$/, ""), family: "ipv6" });
  const inner = address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : "";
  return isIP(inner) === 4 ? inner : address;
}

/** `192.0.2.1:80` and `[2001:db8::1]:80` without brackets and port, as some proxies write them. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
