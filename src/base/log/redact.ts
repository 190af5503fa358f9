const hidden = "***";

/** Secret fields of a JSON line, or of text that looks like one. */
const secretField =
  /("(?:authorization|cookie|set-cookie|x-api-key|api[_-]?keys?|password|smtp_?password|secret|signing_?secret|token|websocket_?token)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
/** `api_key=...`, `api-key: ...`, `token=...`, `password=...` in URLs and sentences. */
const secretPair = /\b((?:x-)?api[-_]?key|token|password|secret)(\s*[=:]\s*)[^\s"'&,;\\)\]}]+/gi;
/** The WebSocket subprotocol that carries a key. */
const secretProtocol = /\b(api-key\.)[^\s"',;\\]+/gi;
const authorization = /\b(authorization\s*[=:]\s*)(?:(bearer|basic|digest)\s+)?[^\s"',;\\]+/gi;
const bearer = /\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}/gi;
/**
 * User name and password in a URL: the password may contain anything up to the last @ before the path. The scheme's length is limited, so
 * that a long text is not scanned again from each of its words.
 */
const urlPassword = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"\\]*):[^\s/"\\]*@/gi;

/**
 * Replaces everything that looks like a secret: API keys, tokens, Authorization headers, passwords in URLs. A JSON line stays a valid
 * JSON line.
 */
export function redact(text: string): string {
  return text
    .replace(secretField, `$1"${hidden}"`)
    .replace(authorization, (_, name: string, scheme: string | undefined) => `${name}${scheme ? `${scheme} ` : ""}${hidden}`)
    .replace(bearer, `$1 ${hidden}`)
    .replace(secretProtocol, `$1${hidden}`)
    .replace(secretPair, `$1$2${hidden}`)
    .replace(urlPassword, `$1:${hidden}@`);
}
