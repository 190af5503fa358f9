/** The placeholders allowed in a template of deduplication keys, each in braces. */
export const dedupKeyNames = ["camera_id", "rule_id", "object_type", "severity"] as const;

/** Returns what is wrong with a template as a sentence, or undefined when it is valid. */
export function dedupTemplateFault(template: string): string | undefined {
  const allowed = dedupKeyNames.map((name) => `{${name}}`).join(", ");
  for (const [text, name] of template.matchAll(/\{([^{}]*)\}|[{}]/g)) {
    if (name === undefined) return `Has a brace without its counterpart; braces are for ${allowed} only`;
    if (!(dedupKeyNames as readonly string[]).includes(name)) return `Does not know ${text}; the names are ${allowed}`;
  }
  return undefined;
}
