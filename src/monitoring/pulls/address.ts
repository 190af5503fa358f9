import { isRefusedAddress, plainHost, refusalOfName } from "../../platform/outbound/address.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import type { Credentials } from "./digest.ts";
import type { PullSettings } from "./pulls-repository.ts";

/** An address to pull from, without secrets, and what a user typed with it. */
export interface PullAddress {
  /** Its password, if a parameter had one, is replaced by `{password}`. */
  readonly url: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** Stands for the password in an address, for cameras that want it there. */
export const passwordPlace = "{password}";

/** The schemes that homesec pulls from: pictures over HTTP, or a stream. */
const schemes = ["http:", "https:", "rtsp:", "rtsps:"];

/** Parameters in which cameras take a password. */
const secretParameter = /^(?:pwd|pass|passwd|password|psw|loginpas|token)$/i;

/** Tells whether an address leads to a stream. */
export function isStream(url: string): boolean {
  return /^rtsps?:/i.test(url);
}

/**
 * Parses an address to pull from and takes its user name and password out of it. Returns a text with the reason and the fix if homesec
 * does not pull from it.
 */
export function parsePullAddress(given: string): PullAddress | string {
  const text = given.trim().replaceAll("%7Bpassword%7D", passwordPlace);
  if (/[\s\p{Cc}]/u.test(text)) return "it contains spaces or control characters; write a space as %20";
  if (!URL.canParse(text)) return "it is not an address; write it as http://host/path or rtsp://host/path";
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return `homesec does not pull from ${url.protocol}//; give an http:// or rtsp:// address`;
  const host = plainHost(url.hostname);
  if (host === "") return "it names no host; write it as http://host/path or rtsp://host/path";
  const refusal =
    refusalOfName(host) ?? (isAddress(host) && isRefusedAddress(host) ? `${host} is a link-local or reserved address` : undefined);
  if (refusal !== undefined) return `${refusal}, which is never called`;
  const user = decoded(url.username) || undefined;
  let password = decoded(url.password) || undefined;
  [url.username, url.password, url.hash] = ["", "", ""];
  const parameters = url.search.slice(1).split("&");
  const kept = parameters.map((parameter) => {
    const [name = "", value = ""] = splitOnce(parameter, "=");
    if (value === "" || !secretParameter.test(name) || value === passwordPlace) return parameter;
    password ??= decoded(value);
    return `${name}=${passwordPlace}`;
  });
  if (url.search !== "") url.search = "";
  const query = kept.join("&");
  const base = url.href.replaceAll("%7Bpassword%7D", passwordPlace);
  return { url: query === "" ? base : `${base}?${query}`, user, password };
}

/** Returns the address to request: with the password where its place is. */
export function filledAddress(url: string, credentials: Pick<Credentials, "password"> | undefined): string {
  return url.replaceAll(passwordPlace, encodeURIComponent(credentials?.password ?? ""));
}

/**
 * Returns the user and the password of a pull; undefined without a user, unless the address has a place for the password. Throws
 * `Problem("unavailable")` if the password cannot be opened.
 */
export function credentialsOf({ url, username, sealedPassword }: PullSettings, sealer: Sealer): Credentials | undefined {
  if (username === null && !url.includes(passwordPlace)) return undefined;
  return { user: username ?? "", password: sealedPassword === null ? "" : sealer.unseal(sealedPassword) };
}

/** Host and port of an address, for messages. */
export function shownHost(url: string): string {
  return new URL(url).host;
}

/**
 * Returns the address of the smaller stream of the same camera, for the makes that name both in one way; undefined if the address is of no
 * such kind.
 */
export function substreamOf(url: string): string | undefined {
  const rules: readonly (readonly [RegExp, string])[] = [
    [/(\/Streaming\/Channels\/\d+)01(?=\D|$)/i, "$102"],
    [/([?&]subtype=)0(?=&|$)/i, "$11"],
    [/(Preview_\d+_)main(?=\W|$)/i, "$1sub"],
    [/(\/(?:cam|ch)\d*[/_]?)main(?=\W|$)/i, "$1sub"],
    [/(\/stream)1(?=\W|$)/i, "$12"],
    [/(\/live\/ch)0{1,2}(?:_|\/)0(?=\W|$)/i, "$100_1"],
  ];
  const rule = isStream(url) ? rules.find(([pattern]) => pattern.test(url)) : undefined;
  return rule && url.replace(...rule);
}

const isAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(":");

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** A text that is not encoded correctly is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
