import { Problem } from "../../contract/problem.ts";

/**
 * What somebody typed into a search field, as a tree. A phrase is one word, or several that stand next to each other; how
 * they are compared with a text is left to whoever searches.
 */
export type SearchQuery =
  | { readonly kind: "phrase"; readonly text: string }
  | { readonly kind: "not"; readonly part: SearchQuery }
  | { readonly kind: "and" | "or"; readonly parts: readonly SearchQuery[] };

/** Words and phrases in one query at most: each costs something in every place that is searched. */
const mostPhrases = 32;

/**
 * Reads `words that all occur`, `"words side by side"`, `this OR that`, `-without` and `NOT without`. Words side
 * by side bind closer than OR; OR, AND and NOT are capitals. Nothing that can be typed is an error but a text without any word, and
 * one with more than 32: `Problem("invalid")` at `[query, q]`.
 */
export function parseSearch(text: string): SearchQuery {
  const groups: SearchQuery[][] = [];
  let phrases = 0;
  let negated = false;
  let alternative = false;
  for (const [, minus, quoted, bare] of text.matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/gu)) {
    if (!minus && (bare === "OR" || bare === "AND" || bare === "NOT")) {
      if (bare === "NOT") negated = !negated;
      else alternative = bare === "OR";
      continue;
    }
    const words = (quoted ?? bare ?? "").trim();
    if (!/[\p{L}\p{N}]/u.test(words)) continue;
    phrases += 1;
    const phrase: SearchQuery = { kind: "phrase", text: words };
    const part: SearchQuery = negated !== (minus === "-") ? { kind: "not", part: phrase } : phrase;
    const last = groups.at(-1);
    if (alternative || !last) groups.push([part]);
    else last.push(part);
    negated = false;
    alternative = false;
  }
  if (phrases === 0) throw refusal("Must contain at least one word to look for");
  if (phrases > mostPhrases) throw refusal(`Must not contain more than ${mostPhrases} words and phrases`);
  return joined(
    "or",
    groups.map((group) => joined("and", group)),
  );
}

/** The phrases of a query, each once, those that must not occur included. */
export function phrasesOf(query: SearchQuery): readonly string[] {
  if (query.kind === "phrase") return [query.text];
  if (query.kind === "not") return phrasesOf(query.part);
  return [...new Set(query.parts.flatMap(phrasesOf))];
}

/** What of a query must occur; undefined when it only says what must not. */
export function wantedOf(query: SearchQuery): SearchQuery | undefined {
  if (query.kind === "phrase") return query;
  if (query.kind === "not") return undefined;
  const parts = query.parts.flatMap((part) => wantedOf(part) ?? []);
  return parts.length === 0 ? undefined : joined(query.kind, parts);
}

function joined(kind: "and" | "or", parts: readonly SearchQuery[]): SearchQuery {
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind, parts };
}

function refusal(msg: string): Problem {
  return new Problem("invalid", `q: ${msg}`, { items: [{ loc: ["query", "q"], msg, type: "value_error" }] });
}
