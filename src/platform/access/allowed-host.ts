import { isIP } from "node:net";
import { hostname } from "node:os";

/** Returns the error text for a request to a host that is not served. */
export function foreignHost(hostHeader: string | undefined): string {
  return `This daemon does not serve the host ${hostHeader}; add it to ALLOWED_HOSTS if it is a name of this machine`;
}

/**
 * Tells whether a `Host` header names this machine: an IP literal, `localhost`, its own name, `*.local`, or an entry of `ALLOWED_HOSTS`
 * (`*.example.net` covers every name below). A name that an attacker's DNS points here does not, so a page in a browser on this network
 * cannot read from us. The check concerns only browsers, which always send the header: a request without one passes.
 */
export function isHostAllowed(hostHeader: string | undefined, allowedHosts: readonly string[], ownName = hostname()): boolean {
  if (hostHeader === undefined || hostHeader === "") return true;
  const name = hostHeader
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
  if (isIP(name) !== 0 || name === "localhost" || name === ownName.toLowerCase() || /^[^.]+(\.[^.]+)*\.local$/.test(name)) return true;
  return allowedHosts.some((entry) => {
    const allowed = entry.toLowerCase();
    return allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) : name === allowed;
  });
}
