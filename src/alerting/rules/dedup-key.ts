/** What stands for the names of a template. */
export interface DedupKeyValues {
  readonly camera_id: string;
  readonly rule_id: string;
  readonly object_type: string | null;
  readonly severity: string;
}

const placeholder = /\{([a-z_]+)\}/g;

/**
 * The key under which an alert holds back others: `{camera_id}:{rule_id}` with its names replaced. An event without a
 * matching detection has the object type `none`. The template has been checked when it was saved (contract/dedup-template.ts).
 */
export function dedupKey(template: string, values: DedupKeyValues): string {
  return template.replace(placeholder, (text, name: string) =>
    Object.hasOwn(values, name) ? (values[name as keyof DedupKeyValues] ?? "none") : text,
  );
}
