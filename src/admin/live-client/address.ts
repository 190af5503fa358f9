import { Problem } from "../../contract/problem.ts";

/** Where to connect, and the subprotocols to offer. */
export interface Address {
  readonly url: URL;
  readonly protocols: readonly string[];
  /** Certificates (PEM) to trust instead of those of the system. */
  readonly ca?: string | undefined;
}

/** Where the daemon is, and what it wants of those who connect. */
export interface Daemon {
  /** Its HTTP address. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** `WEBSOCKET_TOKEN` of the daemon, when it has one. */
  readonly token?: string | undefined;
  readonly ca?: string | undefined;
}

/**
 * The WebSocket address of a daemon from its HTTP address. The key goes as a subprotocol, which no proxy logs; one that
 * cannot stand in that header goes into the query. Throws `Problem` when `url` is no HTTP address.
 */
export function liveAddress({ url: base, apiKey, token, ca }: Daemon, since: number | undefined): Address {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  const scheme = url && { "http:": "ws:", "ws:": "ws:", "https:": "wss:", "wss:": "wss:" }[url.protocol];
  if (!url || !scheme) {
    throw new Problem("invalid", `${base} is not the address of a daemon; it looks like http://127.0.0.1:8000`);
  }
  url.protocol = scheme;
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/ws/events`;
  url.hash = "";
  if (token !== undefined) url.searchParams.set("token", token);
  if (since !== undefined) url.searchParams.set("since", String(since));
  if (apiKey === undefined) return { url, protocols: [], ca };
  if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(apiKey)) return { url, protocols: [`api-key.${apiKey}`], ca };
  url.searchParams.set("api_key", apiKey);
  return { url, protocols: [], ca };
}
