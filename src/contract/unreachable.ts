import { Problem } from "./problem.ts";

/**
 * Nothing came from a daemon: why, and what to do. `base` is its HTTP address, `cause` what `fetch` or a WebSocket failed with before an
 * answer began, `waitedMs` how long was waited when time ran out, `otherwise` what else than starting it may help.
 */
export function unreachable(base: string, cause: unknown, { waitedMs, otherwise }: { waitedMs?: number; otherwise: string }): Problem {
  if (isUntrusted(cause)) {
    const message = `The certificate of ${base} is not trusted (${innermost(cause)}); if it is the right one, name it with --ca-file or HOMESEC_CA_FILE`;
    return new Problem("unreachable", message, { cause });
  }
  const late = waitedMs !== undefined && isTimeout(cause) ? `no answer within ${waitedMs / 1000} s` : undefined;
  const reason = late ?? mistakenScheme(base, cause) ?? innermost(cause);
  const message = `No homesec daemon answers at ${base} (${reason || "no connection"}); start it with \`homesec serve\`, or ${otherwise}`;
  return new Problem("unreachable", message, { cause });
}

/** What is spoken there looks like TLS where none was asked for, or the other way round. */
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

/** An answer of a daemon that began and did not end. `mayHaveChanged`: it was asked to change something. */
export function brokenOff(base: string, cause: unknown, mayHaveChanged: boolean): Problem {
  const remedy = mayHaveChanged ? "it may have done what was asked: look before you ask again" : "ask again";
  return new Problem("unreachable", `The answer of the daemon at ${base} broke off in the middle; ${remedy}`, { cause });
}

/** Whether `error` is a deadline, or the end that it put to the reading of a body. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || isTimeout(error.cause));
}

/** What OpenSSL and Node say of a certificate that they do not take. */
const certificateCodes = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && certificateCodes.test(String(error.code))) || isUntrusted(error.cause);
}

/** The innermost code or message: `fetch` wraps what the system said. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return innermost(error.cause) || ("code" in error && typeof error.code === "string" ? error.code : error.message);
}
