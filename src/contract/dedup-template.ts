/** The placeholders allowed in a template of deduplication keys, each in braces. */
export const dedupKeyNames = ["camera_id", "rule_id", "object_type", "severity"] as const;

/** Returns what is wrong with a template as a sentence, or undefined when it is valid. */
export function dedupTemplateFault(template: string): string | undefined {
  const allowed = dedupKeyNames.map((name) => `{${name}}`).join(", ");
  for (const [text, name] of template.matchAll(/\{([^{}]*)\}|[{}]/g)) {
    if (name === undefined) return `Contains an unmatched brace; braces are only for ${allowed}`;
    if (!(dedupKeyNames as readonly string[]).includes(name)) return `Contains the unknown name ${text}; the names are ${allowed}`;
  }
  return undefined;
}
