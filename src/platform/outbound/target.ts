import { isIP } from "node:net";
import { plainHost, refusalOfName } from "./address.ts";

/** Where a request goes, read from its URL. */
export interface Target {
  readonly url: URL;
  /** Name or address as it is looked up and compared. */
  readonly host: string;
  readonly isAddress: boolean;
  /** Host and port for people: never the path, in which many services carry their secret. */
  readonly shown: string;
}

/** Reads a URL. A text says why nothing may be sent there, whatever is found behind the name. */
export function targetOf(text: string): Target | string {
  if (!URL.canParse(text)) return "it is not a URL; write it as https://host/path";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return `${url.protocol}// is not called, only http:// and https:// are`;
  if (url.username !== "" || url.password !== "")
    return "it carries a user name or a password, which would end up in logs; take them out of the URL and use authentication of type basic";
  const host = plainHost(url.hostname);
  if (host === "") return "it names no host";
  const refusal = refusalOfName(host);
  if (refusal !== undefined) return refusal;
  return { url, host, isAddress: isIP(host) !== 0, shown: url.host };
}
