import { BlockList, isIP } from "node:net";
import { plainHost } from "../../platform/outbound/address.ts";

/** The keys of a message whose value is a path of homesec's API. */
const urlKeys = ["thumbnail_url", "event_url"] as const;

/** Returns the data of a message with absolute addresses of picture and event. Without PUBLIC_URL they stay paths. */
export function withAbsoluteUrls<Data>(data: Data, publicUrl: string | undefined): Data {
  if (publicUrl === undefined || typeof data !== "object" || data === null) return data;
  const given = data as Readonly<Record<string, unknown>>;
  const absolute = urlKeys.flatMap((key) => {
    const path = given[key];
    return typeof path === "string" && path.startsWith("/") ? [[key, `${publicUrl}${path}`]] : [];
  });
  return { ...data, ...Object.fromEntries(absolute) };
}

/** Addresses that only machines at home, or in one network, can reach. */
const privateAddresses = new BlockList();
for (const [network, bits] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  privateAddresses.addSubnet(network, bits, "ipv4");
}
privateAddresses.addAddress("::1", "ipv6");
privateAddresses.addSubnet("fc00::", 7, "ipv6");
privateAddresses.addSubnet("fe80::", 10, "ipv6");

/**
 * Tells whether a service on the internet may be able to load this address. A chat that cannot load a picture may refuse the whole
 * message, so a picture at home is not offered to it.
 */
export function isOnInternet(url: string): boolean {
  if (!/^https?:/.test(url)) return false;
  const host = plainHost(new URL(url).hostname);
  const family = isIP(host);
  if (family !== 0) return !privateAddresses.check(host, family === 4 ? "ipv4" : "ipv6");
  return host.includes(".") && !/\.(?:local|localdomain|localhost|lan|home|home\.arpa|internal|intranet|test)$/i.test(host);
}
