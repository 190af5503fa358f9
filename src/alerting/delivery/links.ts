import { BlockList, isIP } from "node:net";
import type { PagePath } from "../../contract/pages.ts";
import type { Config } from "../../platform/config/config.ts";
import { plainHost } from "../../platform/outbound/address.ts";

const eventPage = "/events/:id" satisfies PagePath;
const dayPage = "/day/:date" satisfies PagePath;

/** The settings that links depend on. */
export interface LinkSettings extends Pick<Config, "publicUrl" | "webEnabled"> {
  /** Signs the path of a picture, so that a reader needs no key for it (MEDIA_REQUIRES_KEY). Without it, paths stay as they are. */
  readonly sign?: ((path: string) => string) | undefined;
}

/** Adds signatures to the settings, which may change while the daemon runs. */
export function withSignature(settings: LinkSettings, sign: LinkSettings["sign"]): LinkSettings {
  return {
    get publicUrl() {
      return settings.publicUrl;
    },
    get webEnabled() {
      return settings.webEnabled;
    },
    sign,
  };
}

/** Returns the link for a person to an event: its page, or its record without the web page. Undefined without PUBLIC_URL. */
export function eventLink({ publicUrl, webEnabled }: LinkSettings, eventId: number): string | undefined {
  if (publicUrl === undefined) return undefined;
  return `${publicUrl}${webEnabled ? pagePathOf(eventId) : `/api/events/${eventId}`}`;
}

/** Returns the link for a person to a day: its page, or its summary without the web page. Undefined without PUBLIC_URL. */
export function dayLink({ publicUrl, webEnabled }: LinkSettings, date: string): string | undefined {
  if (publicUrl === undefined) return undefined;
  return `${publicUrl}${webEnabled ? dayPage.replace(":date", date) : `/api/summary?date=${date}`}`;
}

const pagePathOf = (eventId: number): string => eventPage.replace(":id", String(eventId));

/** The keys of a message whose value is a path of homesec. */
const urlKeys = ["thumbnail_url", "event_url", "page_url"] as const;

/**
 * Returns the data of a message with the addresses of its picture, of the event's record and of its page, which is null without the web
 * page; a summary gets that of its day. Without PUBLIC_URL they stay paths.
 */
export function withLinks<Data>(data: Data, { publicUrl = "", webEnabled, sign }: LinkSettings): Data {
  if (typeof data !== "object" || data === null) return data;
  if ("day" in data) {
    const { date } = data.day as { readonly date: string };
    return { ...data, page_url: webEnabled ? `${publicUrl}${dayPage.replace(":date", date)}` : null };
  }
  if (!("event_url" in data)) return data;
  const [, eventId] = /^\/api\/events\/(\d+)$/.exec(String(data.event_url)) ?? [];
  const given: Readonly<Record<string, unknown>> = {
    ...data,
    page_url: webEnabled && eventId !== undefined ? pagePathOf(Number(eventId)) : null,
  };
  const absolute = urlKeys.flatMap((key) => {
    const path = given[key];
    if (typeof path !== "string" || !path.startsWith("/")) return [];
    return [[key, `${publicUrl}${key === "thumbnail_url" && sign ? sign(path) : path}`]];
  });
  return { ...given, ...Object.fromEntries(absolute) } as Data;
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
