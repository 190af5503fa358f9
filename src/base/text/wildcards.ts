/**
 * Tells whether a whole text matches a pattern. `*` stands for any characters and `?` for one, except `bound`, which only `**` also
 * stands for. Upper and lower case are the same. Takes time in proportion to both lengths.
 */
export function matchesWildcards(pattern: string, text: string, bound?: string): boolean {
  const tokens = pattern.toLowerCase().match(/\*\*|[\s\S]/gu) ?? [];
  // the beginnings of the pattern that match the letters before this one
  let reached = withSkipped(tokens, new Set([0]));
  for (const letter of text.toLowerCase()) {
    const next = new Set<number>();
    for (const at of reached) {
      const token = tokens[at];
      if (token === "**" || (token === "*" && letter !== bound)) next.add(at);
      else if (token === letter || (token === "?" && letter !== bound)) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reached = withSkipped(tokens, next);
  }
  return reached.has(tokens.length);
}

/** Asterisks may stand for nothing. */
function withSkipped(tokens: readonly string[], reached: Set<number>): Set<number> {
  // a set visits what is added while it is walked
  for (const at of reached) if (tokens[at]?.startsWith("*")) reached.add(at + 1);
  return reached;
}
