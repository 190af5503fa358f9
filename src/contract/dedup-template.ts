/** The names that a template of dedup keys may use, each in braces. */
export const dedupKeyNames = ["camera_id", "rule_id", "object_type", "severity"] as const;

/** What is wrong with a template, as a sentence, or undefined when it can be used. */
export function dedupTemplateFault(template: string): string | undefined {
  const allowed = dedupKeyNames.map((name) => `{${name}}`).join(", ");
  for (const [text, name] of template.matchAll(/\{([^{}]*)\}|[{}]/g)) {
    if (name === undefined) return `Has a brace without its counterpart; braces are for ${allowed} only`;
    if (!(dedupKeyNames as readonly string[]).includes(name)) return `Does not know ${text}; the names are ${allowed}`;
  }
  return undefined;
}
