/** Values for the names in a dedup key template. */
export interface DedupKeyValues {
  readonly camera_id: string;
  readonly rule_id: string;
  readonly object_type: string | null;
  readonly severity: string;
}

const placeholder = /\{([a-z_]+)\}/g;

/**
 * Renders the dedup key of an alert: `{camera_id}:{rule_id}` with the names replaced. An event without a matching detection has the
 * object type `none`. The template was validated when the rule was saved (contract/dedup-template.ts).
 */
export function dedupKey(template: string, values: DedupKeyValues): string {
  return template.replace(placeholder, (text, name: string) =>
    Object.hasOwn(values, name) ? (values[name as keyof DedupKeyValues] ?? "none") : text,
  );
}
