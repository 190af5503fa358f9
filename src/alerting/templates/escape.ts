const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;" };

/** Escapes the five characters that are special in HTML. */
export function escapeText(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => entities[character] ?? character);
}
