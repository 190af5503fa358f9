import { isIP, isIPv4 } from "node:net";
import { z } from "zod";
import { objectTypes } from "../../contract/constants.ts";
import { BoolText, EnumText, FloatText, IntText, issue } from "../../contract/values.ts";
import { builtInDetector, deepStackPrefix, detectorAddress, detectorList, mostDetectors } from "./detector-address.ts";
import { everyRole, roleNames } from "./roles.ts";

/** Parses the text of a variable and describes the accepted values. */
export interface Kind<T> {
  readonly schema: z.ZodType<T, string>;
  /** Completes "must be ...". */
  readonly allowed: string;
  /** Paths are made absolute after parsing, since `~` and relative paths depend on the caller. */
  readonly holds: "value" | "path" | "paths";
}

function kind<T>(schema: z.ZodType<T, string>, allowed: string, holds: Kind<T>["holds"] = "value"): Kind<T> {
  return { schema, allowed, holds };
}

/** Text that `check` accepts; users see `allowed` instead of the schema's message. */
const checked = (check: (text: string) => boolean) => z.string().refine((text) => check(text) && !text.includes("\0"));

/** A JSON array of strings, or the same separated by commas. Entries are trimmed, empty ones dropped. */
function listOf<T>(item: z.ZodType<T, string>): z.ZodType<readonly T[], string> {
  const split = z.codec(z.string(), z.array(z.string()), {
    decode: (text, context) => {
      const parts = text.trim().startsWith("[") ? jsonStrings(text) : text.split(",");
      if (parts === undefined) {
        context.issues.push(issue("json_invalid", "Not a JSON array of strings", text));
        return z.NEVER;
      }
      return parts.map((part) => part.trim()).filter((part) => part !== "");
    },
    encode: (parts) => JSON.stringify(parts),
  });
  return split.pipe(z.array(item));
}

function jsonStrings(text: string): readonly string[] | undefined {
  try {
    return z.array(z.string()).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function urlWith(protocols: readonly string[], parts: "base" | "target" | "whole"): z.ZodType<string, string> {
  return checked((text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    if (!protocols.includes(url.protocol) || !isDecodable(url)) return false;
    if (parts === "whole") return true;
    const isOpen = url.hostname !== "" && url.username === "" && url.password === "";
    return isOpen && (parts === "target" || (url.search === "" && url.hash === ""));
  });
}

/** Percent signs in parts that are decoded later must encode characters. */
function isDecodable({ username, password, hostname, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password + hostname + pathname);
    return true;
  } catch {
    return false;
  }
}

/** Tells whether a text is an IP address or a range such as `10.0.0.0/8`. */
function isAddressRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  if (rest.length > 0 || isIP(address) === 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv4(address) ? 32 : 128));
}

const hostName = /^(?=.{1,253}$)(\*\.)?[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9]([a-z0-9-]{0,62}))*\.?$/i;
/** An IPv6 address may be in brackets, as in a URL. */
const withoutBrackets = (text: string): string => text.replace(/^\[(.*)\]$/, "$1");
const isHost = (text: string): boolean => hostName.test(text) || isIP(withoutBrackets(text)) !== 0;
const address = /^[^\s@<>]+@[^\s@<>]+$/;

export const text = kind(
  checked((value) => value !== ""),
  "text",
);
export const host = kind(
  checked((value) => isHost(value) && !value.startsWith("*")).transform(withoutBrackets),
  "a host name or an IP address",
);
export const path = kind(
  checked((value) => value !== ""),
  "a path",
  "path",
);
export const paths = kind(listOf(checked((value) => value !== "")), "paths, separated by commas or as a JSON array", "paths");
export const boolean = kind<boolean>(BoolText, "true or false (also 1/0, yes/no, on/off)");
export const secrets = kind(listOf(checked((value) => value !== "")), "a JSON array of strings, or strings separated by commas");
export const hosts = kind(listOf(checked(isHost)), "host names, separated by commas or as a JSON array");
export const addressRanges = kind(
  listOf(checked(isAddressRange)),
  "IP addresses or ranges such as 10.0.0.0/8, separated by commas or as a JSON array",
);
export const targets = kind(
  listOf(checked((value) => isHost(value) || isAddressRange(value))),
  "host names, IP addresses or ranges such as 10.0.0.0/8, separated by commas or as a JSON array",
);
export const origins = kind(
  listOf(checked((value) => /^https?:$/.test(value.split("//")[0] ?? "") && URL.canParse(value) && new URL(value).origin === value)),
  'a JSON array of origins such as ["http://localhost:3000"]; * is not taken',
);
export const emails = kind(listOf(checked((value) => address.test(value))), "mail addresses, separated by commas or as a JSON array");
export const sender = kind(
  checked((value) => address.test(value) || /^[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>$/.test(value)),
  "a mail address, or a name with one: Home <home@example.org>",
);
/** The tag of a language. */
export const language = kind(
  checked((value) => /^[a-z]{2,3}(?:[-_][a-z\d]{2,8})*$/i.test(value)),
  "the tag of a language, such as en, de or pt-BR",
);
/** Target of an HTTP POST. */
export const webUrl = kind(urlWith(["http:", "https:"], "target"), "an http:// or https:// address without user name and password");
/** Base URL of a service; a trailing slash is removed, so that paths can be appended. */
export const serviceUrl = kind<string>(
  urlWith(["http:", "https:"], "base").transform((url) => url.replace(/\/+$/, "")),
  "an http:// or https:// address without user name and query",
);
/** Addresses of detectors in the form of `detectorAddress`, separated by commas; `built-in` stands for the built-in one. */
export const detectorUrl = kind<string>(
  z.string().transform((text, context) => {
    const list = detectorList(text).map(oneDetector);
    const isGood = list.length > 0 && list.length <= mostDetectors && !list.includes(undefined);
    if (isGood) return [...new Set(list)].join(",");
    context.issues.push(issue("value_error", "Not the address of a detector", text));
    return z.NEVER;
  }),
  `${serviceUrl.allowed}; with deepstack+ in front for CodeProject.AI, Blue Onyx and DeepStack; or up to ${mostDetectors} of them separated by commas, one of which may be ${builtInDetector}`,
);

function oneDetector(text: string): string | undefined {
  if (text.toLowerCase() === builtInDetector) return builtInDetector;
  const { api, url } = detectorAddress(text);
  const read = serviceUrl.schema.safeParse(url);
  return read.success ? `${api === "deepstack" ? deepStackPrefix : ""}${read.data}` : undefined;
}

export const postgresUrl = kind(
  urlWith(["postgres:", "postgresql:"], "whole"),
  "an address such as postgres://user:password@host:5432/database",
);
export const redisUrl = kind(urlWith(["redis:", "rediss:"], "whole"), "an address such as redis://host:6379");
export const mqttUrl = kind(
  checked((text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    const isPlain = ["", "/"].includes(url.pathname) && url.search === "" && url.hash === "";
    return ["mqtt:", "mqtts:"].includes(url.protocol) && url.hostname !== "" && isPlain && isDecodable(url);
  }),
  "an address such as mqtt://host, mqtts://host:8883 or mqtt://user:password@host",
);
/** Words of a topic without wildcards; Home Assistant allows only these characters in ids, which homesec derives from it. */
export const topic = kind(
  checked((text) => text.length <= 100 && /^[\w-]+(?:\/[\w-]+)*$/.test(text)),
  "letters, digits, _ and -, with / between words",
);

/** Accepts integers between two bounds, both included. */
export function integer(minimum: number, maximum: number): Kind<number> {
  return kind(IntText(minimum, maximum), `a whole number from ${minimum} to ${maximum}`);
}

/** Accepts numbers between two bounds, both included. */
export function number(minimum: number, maximum: number): Kind<number> {
  return kind(FloatText(minimum, maximum), `a number from ${minimum} to ${maximum}`);
}

/** Accepts one of several words, in upper or lower case. */
export function oneOf<const T extends readonly [string, ...string[]]>(...words: T): Kind<T[number]> {
  return kind<T[number]>(EnumText(words), `one of ${words.join(", ")}`);
}

/** Roles, each once and in the order of `roleNames`, whatever order the user writes. */
export const roles = kind(
  listOf(EnumText([everyRole, ...roleNames]))
    .refine((words) => words.length > 0)
    .transform((words) => roleNames.filter((role) => words.some((word) => word === role || word === everyRole))),
  `${everyRole}, or some of ${roleNames.join(", ")}, separated by commas`,
);

/** Classes of objects that may be parked, each once. A person who sits still is not. */
const parkable = objectTypes.filter((objectType) => objectType !== "person");
export const parkedClasses = kind(
  listOf(EnumText(["none", ...parkable])).transform((words) => parkable.filter((objectType) => words.includes(objectType))),
  `none, or some of ${parkable.join(", ")}, separated by commas`,
);

/** A time of day, `HH:MM`. */
export const timeOfDay = kind(
  checked((value) => /^([01]\d|2[0-3]):[0-5]\d$/.test(value)),
  "a time of day such as 07:30",
);

/** Names of channels, as rules name them. */
export const channelNames = kind(
  listOf(checked((value) => value.length <= 100)),
  "names of channels, separated by commas or as a JSON array",
);

/** A range of ports `first-last`, or `0` for free ones (null). */
export const portRange = kind(
  z.string().transform((text, context): readonly [first: number, last: number] | null => {
    if (text.trim() === "0") return null;
    const [first = 0, last = 0] = /^\s*(\d{1,5})\s*-\s*(\d{1,5})\s*$/.exec(text)?.slice(1).map(Number) ?? [];
    if (first >= 1 && last >= first && last <= 65_535) return [first, last];
    context.issues.push(issue("value_error", "Not a range of ports", text));
    return z.NEVER;
  }),
  "a range of ports such as 40000-40050, or 0",
);
