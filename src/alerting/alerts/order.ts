import { severities } from "../../contract/routes/rules.ts";
import type { Rule, RuleVerdict } from "../rules/rule.ts";

/** A rule that matches an event, and the key under which it would raise an alert. */
export interface Match {
  readonly rule: Rule;
  readonly verdict: RuleVerdict;
  readonly key: string;
}

/**
 * The order in which matches are raised. By key, so that two processes never wait for each other; of those that share a key, the most severe first, since
 * it holds back the others, then the oldest rule.
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

/** The same in every language and on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
