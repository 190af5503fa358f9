import { isIP, isIPv6, type LookupFunction } from "node:net";
import { plainHost, refusalOfAddresses, refusalOfName } from "./address.ts";
import { type Resolve, resolveBySystem } from "./resolve.ts";

/**
 * Creates the name lookup of connections to addresses that can be changed at run time. It judges the addresses that the connection then
 * uses: a name that was harmless when it was stored may lead to a metadata service later. It fails with the reason for a target that must
 * not be called. A host that is an address is never looked up, so check it with `refusalOfHost`.
 */
export function checkedLookup(resolve: Resolve = resolveBySystem): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const refusal = refusalOfName(plainHost(name)) ?? refusalOfAddresses(name, addresses);
        if (refusal === undefined) giveAddresses(addresses, options, callback);
        else callback(new Error(`${refusal}, which is never called`), "");
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ""),
    );
  };
}

/** Returns why a host of a URL must not be called, as far as its text tells; undefined if it may be, or if only a lookup tells. */
export function refusalOfHost(hostname: string): string | undefined {
  const host = plainHost(hostname);
  return refusalOfName(host) ?? (isIP(host) === 0 ? undefined : refusalOfAddresses(host, [host]));
}

/** Answers a lookup with these addresses. */
export function giveAddresses(
  addresses: readonly string[],
  { all }: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const [first] = found;
  if (!first) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
  else if (all) callback(null, found);
  else callback(null, first.address, first.family);
}
