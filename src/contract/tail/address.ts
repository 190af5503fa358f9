import { Problem } from "../problem.ts";

/** The address to connect to and the subprotocols to offer. */
export interface Address {
  readonly url: URL;
  readonly protocols: readonly string[];
  /** Certificates (PEM) to trust instead of the system's. */
  readonly ca?: string | undefined;
}

/** The daemon's address and credentials. */
export interface Daemon {
  /** Its HTTP address. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** `WEBSOCKET_TOKEN` of the daemon, if it has one. */
  readonly token?: string | undefined;
  readonly ca?: string | undefined;
}

/**
 * Derives the WebSocket address of a daemon from its HTTP address. The key is sent as a subprotocol, which proxies do not log; a key that
 * cannot stand in that header goes into the query. Throws `Problem` if `url` is no HTTP address.
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

/** Returns the headers of a request with this key. */
export function keyHeaders(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { "X-API-Key": bytesAsText(key) };
}

/** A header carries bytes: letters beyond ASCII travel as UTF-8. */
export function bytesAsText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
