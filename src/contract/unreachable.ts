import { Problem } from "./problem.ts";

/**
 * Creates the problem for a daemon that does not answer, with the reason and a fix. `base` is its HTTP address, `cause` is the error
 * of `fetch` or the WebSocket before a reply began, `waitedMs` is the timeout that ran out, and `otherwise` is an alternative to starting
 * the daemon.
 */
export function unreachable(base: string, cause: unknown, { waitedMs, otherwise }: { waitedMs?: number; otherwise: string }): Problem {
  if (isUntrusted(cause)) {
    const message = `The certificate of ${base} is not trusted (${innermost(cause)}); if it is correct, pass it with --ca-file or HOMESEC_CA_FILE`;
    return new Problem("unreachable", message, { cause });
  }
  const late = waitedMs !== undefined && isTimeout(cause) ? `no answer within ${waitedMs / 1000} s` : undefined;
  const reason = late ?? mistakenScheme(base, cause) ?? innermost(cause);
  const message = `No homesec daemon answers at ${base} (${reason || "no connection"}); start it with \`homesec serve\`, or ${otherwise}`;
  return new Problem("unreachable", message, { cause });
}

/** Recognises TLS on a plain HTTP address, or plain HTTP on an HTTPS address. */
function mistakenScheme(base: string, cause: unknown): string | undefined {
  const code = innermost(cause);
  if (/^https:/i.test(base) && /^EPROTO$|^ERR_SSL_/.test(code)) {
    return `${code}, it speaks no TLS; a daemon without TLS is at ${base.replace(/^https/i, "http")}`;
  }
  if (/^http:/i.test(base) && /^ECONNRESET$|^UND_ERR_SOCKET$/.test(code)) {
    return `${code}, it closes the connection; a daemon with TLS is at ${base.replace(/^http/i, "https")}`;
  }
  return undefined;
}

/** Creates the problem for a reply that began and did not end. `mayHaveChanged`: the request can have taken effect. */
export function brokenOff(base: string, cause: unknown, mayHaveChanged: boolean): Problem {
  const advice = mayHaveChanged ? "the request may have taken effect, so check before you retry" : "try again";
  return new Problem("unreachable", `The reply of the daemon at ${base} ended early; ${advice}`, { cause });
}

/** Checks whether `error` is a timeout, or the abort that a timeout caused while a body was read. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || isTimeout(error.cause));
}

/** Error codes of OpenSSL and Node for a certificate that they reject. */
const certificateCodes = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && certificateCodes.test(String(error.code))) || isUntrusted(error.cause);
}

/** Returns the innermost code or message, because `fetch` wraps the system error. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return innermost(error.cause) || ("code" in error && typeof error.code === "string" ? error.code : error.message);
}
