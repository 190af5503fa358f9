const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;" };

/** The text with the five characters that mean something in HTML written as entities. */
export function escapeText(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => entities[character] ?? character);
}
