interface Rule {
  readonly pattern: string;
  readonly wanted: boolean;
}

/**
 * The message types that a client wants: everything until it subscribes or unsubscribes. The subscription is an ordered list of rules, and
 * the last rule that covers a type decides. So a client can exclude `alert_*` from `*` and add `alert_created` again.
 */
export class Subscription {
  #rules: readonly Rule[] = [{ pattern: "*", wanted: true }];
  /** The client has subscribed or unsubscribed. From then on, patterns add up. */
  #chosen = false;
  readonly #decided = new Map<string, boolean>();
  #everything = true;

  /** Adds patterns. The first call replaces the initial `*`. */
  subscribe(patterns: readonly string[]): void {
    if (!this.#chosen) this.#rules = [];
    for (const pattern of patterns) this.#append({ pattern, wanted: true });
    this.#changed();
  }

  /** Removes patterns, also from within a wider one. */
  unsubscribe(patterns: readonly string[]): void {
    for (const pattern of patterns) this.#append({ pattern, wanted: false });
    this.#changed();
  }

  /** Number of rules. */
  get size(): number {
    return this.#rules.length;
  }

  /** True while nothing is filtered. */
  get everything(): boolean {
    return this.#everything;
  }

  /** The active list, as reported to the client. */
  describe(): { types: string[]; except?: string[] } {
    const patterns = (wanted: boolean) => this.#rules.filter((rule) => rule.wanted === wanted).map((rule) => rule.pattern);
    const except = patterns(false);
    return { types: patterns(true), ...(except.length > 0 && { except }) };
  }

  wants(type: string): boolean {
    if (this.#everything) return true;
    let wanted = this.#decided.get(type);
    if (wanted === undefined) {
      wanted = this.#rules.findLast((rule) => covers(rule.pattern, type))?.wanted ?? false;
      this.#decided.set(type, wanted);
    }
    return wanted;
  }

  #append(rule: Rule): void {
    // patterns are nested or disjoint, so rules that the new pattern covers have no effect any more
    const rest = this.#rules.filter((earlier) => !covers(rule.pattern, earlier.pattern));
    const sofar = rest.findLast((earlier) => covers(earlier.pattern, rule.pattern))?.wanted ?? false;
    this.#rules = !sofar && !rule.wanted ? rest : [...rest, rule];
  }

  #changed(): void {
    this.#chosen = true;
    this.#decided.clear();
    this.#everything = this.#rules.length === 1 && this.#rules[0]?.pattern === "*" && this.#rules[0].wanted;
  }
}

/** Tells whether `pattern` covers every type that `narrow` (a type or a pattern) covers. */
function covers(pattern: string, narrow: string): boolean {
  return pattern === narrow || (pattern.endsWith("*") && narrow.startsWith(pattern.slice(0, -1)));
}
