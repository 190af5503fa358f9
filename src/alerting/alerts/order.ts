import { severities } from "../../contract/constants.ts";
import type { Rule, RuleVerdict } from "../rules/rule.ts";

/** A rule that matches an event, and the dedup key of its alert. */
export interface Match {
  readonly rule: Rule;
  readonly verdict: RuleVerdict;
  readonly key: string;
}

/**
 * Sorts matches into the order of raising them. Sorting by key keeps two processes from deadlocking. Within a key the most severe rule
 * comes first, since it suppresses the others, then the oldest rule.
 */
export function inOrder(matches: readonly Match[]): readonly Match[] {
  return matches.toSorted(
    (a, b) =>
      compare(a.key, b.key) ||
      severities.indexOf(b.rule.severity) - severities.indexOf(a.rule.severity) ||
      a.rule.created_at.getTime() - b.rule.created_at.getTime() ||
      compare(a.rule.id, b.rule.id),
  );
}

/** Compares by code unit, which is the same in every language and on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
