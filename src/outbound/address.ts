import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { within } from "../lifecycle/lifecycle.ts";

/** Addresses that nothing of ours may be sent to: they belong to the link, to the machine's provider, or to nobody. */
const refused = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  refused.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 128],
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
  ["fd20:ce::254", 128],
  ["ff00::", 8],
] as const) {
  refused.addSubnet(network, prefix, "ipv6");
}

const refusedNames = /^(metadata|metadata\.google\.internal|instance-data(\..*)?)$/i;

/** Finds the addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** A name server that does not answer shall not hold up who asks. */
const resolveWithinMs = 3_000;

const resolveBySystem: Resolve = async (name) => {
  const found = await within(resolveWithinMs, () => lookup(name, { all: true }));
  return found.map(({ address }) => address);
};

/** Whether an IP address is link-local, a metadata service of a provider, multicast, or no address of anybody. */
export function isRefusedAddress(address: string): boolean {
  const plain = address.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  switch (isIP(plain)) {
    case 4:
      return refused.check(plain, "ipv4");
    case 6:
      return refused.check(plain, "ipv6") || isRefusedInside(plain);
    default:
      return false;
  }
}

/** An IPv4 address in the clothes of IPv6: mapped, NAT64 or 6to4. */
function isRefusedInside(address: string): boolean {
  // the URL parser writes every form of an address in one way
  const groups = groupsOf(address);
  const [first = 0, second = 0] = groups;
  const v4 = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && (groups[5] === 0xffff || groups[5] === 0);
  if (isMapped && (groups[6] !== 0 || (groups[7] ?? 0) > 1)) return refused.check(v4(groups[6], groups[7]), "ipv4");
  if (first === 0x64 && second === 0xff9b) return refused.check(v4(groups[6], groups[7]), "ipv4");
  return first === 0x2002 && refused.check(v4(groups[1], groups[2]), "ipv4");
}

function groupsOf(address: string): number[] {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = text.split("::");
  const parts = (half: string): number[] => (half === "" ? [] : half.split(":").map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return parts(head);
  const [left, right] = [parts(head), parts(tail)];
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/**
 * Why nothing may be sent to the host of this URL, or undefined when it may. A name counts by all addresses that it has
 * now; one that has none may get one later, and whoever connects finds out.
 */
export async function refusalOf(url: string, resolve: Resolve = resolveBySystem): Promise<string | undefined> {
  const host = new URL(url).hostname.replace(/\.$/, "");
  if (refusedNames.test(host)) return `${host} is a metadata service`;
  if (isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0)
    return isRefusedAddress(host) ? `${host} is a link-local or reserved address` : undefined;
  const addresses = await resolve(host).catch(() => []);
  const bad = addresses.find(isRefusedAddress);
  return bad === undefined ? undefined : `${host} is at ${bad}, a link-local or reserved address`;
}
