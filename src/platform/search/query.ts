import { Problem } from "../../contract/problem.ts";

/**
 * A search query of a user as a tree. A phrase is one word, or several consecutive ones; each search compares them with texts in its own
 * way.
 */
export type SearchQuery =
  | { readonly kind: "phrase"; readonly text: string }
  | { readonly kind: "not"; readonly part: SearchQuery }
  | { readonly kind: "and" | "or"; readonly parts: readonly SearchQuery[] };

/** Maximum number of words and phrases in a query, since each costs time in every searched place. */
const maxPhrases = 32;

/**
 * Parses `words that all occur`, `"consecutive words"`, `this OR that`, `-without` and `NOT without`. Adjacent words bind more tightly
 * than OR; OR, AND and NOT are capitals. Only a text without any word, and one with more than 32, is an error: `Problem("invalid")` at
 * `[query, q]`.
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
  if (phrases > maxPhrases) throw refusal(`Must not contain more than ${maxPhrases} words and phrases`);
  return joined(
    "or",
    groups.map((group) => joined("and", group)),
  );
}

/** Returns the phrases of a query, each once, even those that must not occur. */
export function phrasesOf(query: SearchQuery): readonly string[] {
  if (query.kind === "phrase") return [query.text];
  if (query.kind === "not") return phrasesOf(query.part);
  return [...new Set(query.parts.flatMap(phrasesOf))];
}

/** Returns the part of a query that must occur; undefined if it only excludes. */
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
