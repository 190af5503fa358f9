import { isIP } from "node:net";
import { plainHost, refusalOfName } from "./address.ts";

/** The target of a request, parsed from its URL. */
export interface Target {
  readonly url: URL;
  /** Name or address in the form for lookup and comparison. */
  readonly host: string;
  readonly isAddress: boolean;
  /** Host and port for users: never the path, which contains the secret of many services. */
  readonly shown: string;
}

/** Parses a URL. Returns a text with the reason if requests to it are never allowed, whatever addresses its name has. */
export function targetOf(text: string): Target | string {
  if (!URL.canParse(text)) return "it is not a URL; write it as https://host/path";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return `${url.protocol}// is not called, only http:// and https:// are`;
  if (url.username !== "" || url.password !== "")
    return "it contains a user name or a password, which would end up in logs; remove them from the URL and use authentication of type basic";
  const host = plainHost(url.hostname);
  if (host === "") return "it names no host";
  const refusal = refusalOfName(host);
  if (refusal !== undefined) return refusal;
  return { url, host, isAddress: isIP(host) !== 0, shown: url.host };
}
