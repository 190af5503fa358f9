import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isLoopback } from "../config/cross-checks.ts";

/** From where a host to listen on can be reached: this machine, the networks of a house or a business, or everywhere. */
export type Exposure = "loopback" | "private" | "public";

/** From where `host` is reached; `addresses` are those of the machine, for a host that stands for all of them. */
export function exposureOf(host: string, addresses: readonly string[]): Exposure {
  if (isLoopback(host)) return "loopback";
  const listening = ["0.0.0.0", "::", "::0"].includes(host) ? addresses : [host];
  return listening.some(isPublicAddress) ? "public" : "private";
}

/** Whether everybody on the internet may call the address. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  return isIP(plain) !== 0 && ipaddr.process(plain).range() === "unicast";
}
