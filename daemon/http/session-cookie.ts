import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";

const cookieName = "homesec_session";
const pageCookieName = "homesec_page";
/** Browsers keep no cookie for longer. The session itself ends after 90 days without use. */
const cookieSeconds = 400 * 86_400;

/**
 * Returns the secret in the session cookie of a request; undefined without one. A page of another origin cannot use the cookie, also not
 * one on another port of this host, which `SameSite` allows.
 */
export function sessionSecretOf(request: IncomingMessage): string | undefined {
  return cookieOf(request, cookieName);
}

/** Tells whether a browser sends the request for the web page, which told it to by `setPageCookie`. It proves nothing about who asks. */
export function isForPage(request: IncomingMessage): boolean {
  return cookieOf(request, pageCookieName) !== undefined;
}

function cookieOf(request: IncomingMessage, wanted: string): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined || !isOfOwnPage(request)) return undefined;
  for (const pair of cookie.split(";")) {
    const [name = "", value = ""] = pair.trim().split("=", 2);
    if (name === wanted && value !== "") return value;
  }
  return undefined;
}

/** A browser sends `Sec-Fetch-Site` over TLS and to this machine, and `Origin` with writes and WebSockets. */
function isOfOwnPage({ headers: { origin, host, "sec-fetch-site": site } }: IncomingMessage): boolean {
  if (site !== undefined) return site === "same-origin" || site === "none";
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase());
}

/** Sets the session cookie in a response, or deletes it. */
export function setSessionCookie(request: IncomingMessage, response: ServerResponse, secret: string | undefined): void {
  setCookie(request, response, { name: cookieName, value: secret });
}

/** Marks a browser as one that shows the web page, so that its requests have the limits of browsers. */
export function setPageCookie(request: IncomingMessage, response: ServerResponse): void {
  setCookie(request, response, { name: pageCookieName, value: "1" });
}

interface Cookie {
  readonly name: string;
  readonly value: string | undefined;
}

function setCookie(request: IncomingMessage, response: ServerResponse, { name, value }: Cookie): void {
  const isSecure = request.socket instanceof TLSSocket || request.headers["x-forwarded-proto"] === "https";
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${value === undefined ? 0 : cookieSeconds}${isSecure ? "; Secure" : ""}`;
  response.appendHeader("Set-Cookie", `${name}=${value ?? ""}; ${attributes}`);
}
