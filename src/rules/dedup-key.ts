/** The names that a template of dedup keys may use, each in braces. */
export const dedupKeyNames = ["camera_id", "rule_id", "object_type", "severity"] as const;

export interface DedupKeyValues {
  readonly camera_id: string;
  readonly rule_id: string;
  readonly object_type: string | null;
  readonly severity: string;
}

const placeholder = /\{([a-z_]+)\}/g;

/**
 * The key under which an alert holds back others: `{camera_id}:{rule_id}` with its names replaced. An event without a
 * matching detection has the object type `none`. The template has passed `dedupTemplateFault`.
 */
export function dedupKey(template: string, values: DedupKeyValues): string {
  return template.replace(placeholder, (text, name: string) =>
    Object.hasOwn(values, name) ? (values[name as keyof DedupKeyValues] ?? "none") : text,
  );
}

/** What is wrong with a template, as a sentence, or undefined when it can be used. */
export function dedupTemplateFault(template: string): string | undefined {
  const allowed = dedupKeyNames.map((name) => `{${name}}`).join(", ");
  for (const [text, name] of template.matchAll(/\{([^{}]*)\}|[{}]/g)) {
    if (name === undefined) return `Has a brace without its counterpart; braces are for ${allowed} only`;
    if (!(dedupKeyNames as readonly string[]).includes(name)) return `Does not know ${text}; the names are ${allowed}`;
  }
  return undefined;
}
