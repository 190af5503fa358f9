import { isIP } from "node:net";
import { channelAvailability } from "../../../alerting/notifications/channels.ts";
import { isHostAllowed } from "../../../platform/access/allowed-host.ts";
import { isPublicAddress } from "../../../platform/access/exposure.ts";
import { isLoopback } from "../../../platform/config/cross-checks.ts";
import { plainHost } from "../../../platform/outbound/address.ts";
import { type Check, finding, ok, skipped } from "../check.ts";
import { listed } from "../wording.ts";

const allowedHosts: Check = {
  id: "allowed-hosts",
  group: "access",
  title: "Names that are answered",
  severity: "error",
  finds: "PUBLIC_URL has a name that ALLOWED_HOSTS does not let through, or ALLOWED_HOSTS lets through a whole top-level domain",
  remedy: "Add the name to ALLOWED_HOSTS; name no more than is needed",
  run: (examination) => {
    const { publicUrl, allowedHosts } = examination.config();
    const wide = allowedHosts.filter((entry) => /^\*\.[^.]+$/.test(entry) && !/^\*\.(local|lan|home|internal|localdomain)$/i.test(entry));
    if (wide.length > 0) {
      return finding(
        `ALLOWED_HOSTS has ${wide.join(", ")}: pages of strangers can be made to read from homesec`,
        "Name the hosts themselves, such as ALLOWED_HOSTS=home.example.net",
        "warning",
      );
    }
    const host = publicUrl === undefined ? undefined : new URL(publicUrl).host;
    if (host === undefined || isHostAllowed(host, allowedHosts, examination.machine.hostName)) return ok(host ?? "");
    const name = new URL(publicUrl as string).hostname;
    return finding(
      `PUBLIC_URL names ${name}, and requests for that name are refused with 403`,
      `ALLOWED_HOSTS=${[...allowedHosts, name].join(",")}`,
    );
  },
};

const corsOrigins: Check = {
  id: "cors-origins",
  group: "access",
  title: "Pages that may use the API",
  severity: "warning",
  finds: "CORS_ORIGINS has a page without TLS on another network: whoever sits on the way can put another one in its place",
  remedy: "Write the origin with https://",
  run: (examination) => {
    const { corsOrigins } = examination.config();
    if (corsOrigins.length === 0) return ok("none");
    const open = corsOrigins.filter(
      (origin) => URL.canParse(origin) && new URL(origin).protocol === "http:" && isFar(new URL(origin).hostname),
    );
    if (open.length === 0) return ok(listed(corsOrigins, 5, ", "));
    return finding(
      `CORS_ORIGINS has ${listed(open, 5, ", ")}: without TLS, anybody on the way can put another page in the place of that one`,
      `Serve the page with TLS and write ${open.map((origin) => origin.replace("http:", "https:")).join(",")}`,
    );
  },
};

/** Whether a name leads out of the house. */
function isFar(hostname: string): boolean {
  const host = plainHost(hostname);
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes(".") && !/\.(local|lan|home|internal|localdomain|localhost)$/i.test(host);
}

const publicUrl: Check = {
  id: "public-url",
  group: "notifications",
  title: "Links in mails",
  severity: "warning",
  finds: "Mails are sent, and PUBLIC_URL is an address that works on this machine only",
  remedy: "Set PUBLIC_URL to the address under which people reach homesec",
  run: (examination) => {
    const config = examination.config();
    if (!channelAvailability(config).email.usable) return skipped("no mails are sent");
    if (config.publicUrl === undefined) return ok("mails have no links (PUBLIC_URL is not set)");
    const host = plainHost(new URL(config.publicUrl).hostname);
    if (!isLoopback(host)) return ok(host);
    return finding(
      `The links in mails lead to ${host}, which is another machine for whoever reads them`,
      "Set PUBLIC_URL to the address under which people reach homesec, such as https://home.example.net",
    );
  },
};

export const browserChecks: readonly Check[] = [allowedHosts, corsOrigins];
export const publicUrlChecks: readonly Check[] = [publicUrl];
