import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isLoopback } from "../config/cross-checks.ts";

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
