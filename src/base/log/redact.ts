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
 * The same pairs with a value in quotes: `api_key="..."`, `api_key='...'`, and JSON inside of a text, where each quotation mark has
 * backslashes in front. The length of a value is limited, so that a long text is not scanned again from each of its words.
 */
const quotedPair =
  /\b((?:x-)?api[-_]?keys?|authorization|(?:set-)?cookie|(?:smtp_?)?password|(?:signing_?)?secret|(?:websocket_?)?token)((?:\\{0,8}["'])?\s{0,8}[=:]\s{0,8})(\\{0,8})(["'])(?:(?!\3\4).){0,4096}(?:\3\4)?/gis;
/** Words without which a text holds no secret, to pass over the others quickly. */
const suspicious = /key|authorization|cookie|password|secret|token|bearer|basic|:\/\//i;
/** Also one without its end, so that a broken line is scanned once. */
const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"?/gs;

/**
 * Replaces everything that looks like a secret: API keys, tokens, Authorization headers, passwords in URLs. A JSON line stays a valid
 * JSON line.
 */
export function redact(text: string): string {
  if (!suspicious.test(text)) return text;
  if (!text.startsWith("{")) return redactText(text);
  return text
    .replace(secretField, `$1"${hidden}"`)
    .replace(jsonString, (literal) => (suspicious.test(literal) ? redactLiteral(literal) : literal));
}

/** Replaces the secrets in a string literal of JSON. */
function redactLiteral(literal: string): string {
  let text: string;
  try {
    text = JSON.parse(literal) as string;
  } catch {
    return redactText(literal);
  }
  const safe = redactText(text);
  return safe === text ? literal : JSON.stringify(safe);
}

function redactText(text: string): string {
  return text
    .replace(secretField, `$1"${hidden}"`)
    .replace(quotedPair, `$1$2$3$4${hidden}$3$4`)
    .replace(authorization, (_, name: string, scheme: string | undefined) => `${name}${scheme ? `${scheme} ` : ""}${hidden}`)
    .replace(bearer, `$1 ${hidden}`)
    .replace(secretProtocol, `$1${hidden}`)
    .replace(secretPair, `$1$2${hidden}`)
    .replace(urlPassword, `$1:${hidden}@`);
}
