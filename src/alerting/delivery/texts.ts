/** Shorter ones occur in ordinary texts. No service gives out such tokens. */
const shortestMasked = 4;

/** Replaces secrets in a text, also as they are written in JSON and in URLs. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret.length >= shortestMasked)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.replace(/\p{Cs}/gu, ""))]);
  return forms.reduce((safe, form) => safe.replaceAll(form, "***"), text);
}

/** Replaces line ends and other control characters, which would break a header or a cell, and cuts the text to `longest` characters. */
export function onOneLine(text: string, longest: number): string {
  const plain = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
  const characters = [...plain];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : plain;
}

/** Replaces what PostgreSQL cannot store: it stores no NUL, and half of a surrogate pair is not valid UTF-8. */
export function storable(text: string): string {
  return text.replaceAll("\u0000", "").replace(/\p{Surrogate}/gu, "\ufffd");
}
