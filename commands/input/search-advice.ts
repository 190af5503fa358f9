import { shellWord } from "../../src/base/text/format.ts";
import { parseSearch, phrasesOf, type SearchQuery, wantedOf } from "../../src/platform/search/query.ts";
import type { Io } from "../io.ts";

/** A search that found nothing. */
export interface EmptySearch {
  /** Such as `events search`. */
  readonly command: string;
  /** Such as `event`. */
  readonly noun: string;
  readonly query: string;
  /** Whether filters were given besides the query. */
  readonly isFiltered: boolean;
  /** Counts the matches of a query, with or without the filters. */
  count(query: string, filtered: boolean): Promise<number>;
}

/** Words of a query that are tried one by one; each costs a search. */
const mostWords = 3;

/** Notes what a search without results looked for, and a search that finds something. Prints nothing for programs. Never throws. */
export async function noteEmptySearch(io: Io, search: EmptySearch): Promise<void> {
  if (io.output.format !== "table" || io.global.quiet) return;
  const { query, isFiltered, command } = search;
  io.output.note(`searched for ${queryText(parseSearch(query))}${isFiltered ? ", with the filters" : ""}`);
  try {
    const found = await betterSearch(search);
    if (found !== undefined) io.output.note(found);
    else io.output.note(`no similar search finds any; \`homesec help ${command}\` has examples`);
  } catch {
    // The search itself succeeded
  }
}

/** A sentence with a similar search that has results. */
async function betterSearch(search: EmptySearch): Promise<string | undefined> {
  const { query, isFiltered, noun, command, count } = search;
  const finds = (count: number): string => `finds ${count} ${noun}${count === 1 ? "" : "s"}`;
  const call = (other: string): string => `\`homesec ${command} ${shellWord(other)}\``;
  if (isFiltered) {
    const total = await count(query, false);
    if (total > 0) return `without the filters it ${finds(total)}`;
  }
  const capitals = withOperators(query);
  if (capitals !== query) {
    const total = await count(capitals, true);
    if (total > 0) return `operators are OR, NOT and AND, in capitals: ${call(capitals)} ${finds(total)}`;
  }
  const wanted = wantedOf(parseSearch(query));
  const words = wanted === undefined ? [] : phrasesOf(wanted).slice(0, mostWords);
  if (words.length > 1) {
    const totals = await Promise.all(words.map(async (word) => ({ word, total: await count(quoted(word), true) })));
    if (totals.some(({ total }) => total > 0)) {
      const each = totals.map(({ word, total }) => `"${word}" alone ${total > 0 ? finds(total) : "finds none"}`);
      return `${each.join(", ")}; ${call(words.map(quoted).join(" OR "))} ${words.length > 2 ? "finds all of these" : "finds both"}`;
    }
  }
  const beginnings = words.map((word) => `${stemOf(word)}*`).join(" ");
  const total = words.length === 0 ? 0 : await count(beginnings, true);
  return total > 0 ? `${call(beginnings)} ${finds(total)}` : undefined;
}

/** The query with operators in other notations as this search reads them: `or`, `|`, `not`, and `and` or `&`, which may be left out. */
function withOperators(query: string): string {
  return query
    .split(/("[^"]*"?)/)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part
            .replaceAll(/(?<=\s)(?:or|\|\|?)(?=\s)/gi, "OR")
            .replaceAll(/(?<=^|\s)not(?=\s)/gi, "NOT")
            .replaceAll(/(?<=\s)(?:and|&&?)\s+/g, ""),
    )
    .join("");
}

/** A word without the ending of a plural or a verb, so that `stem*` matches its other forms. */
function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/\*$/, "").replace(/(?:ing|ies|es|ed|s)$/i, "") : word.replace(/\*$/, "");
}

function quoted(phrase: string): string {
  return /\s/.test(phrase) ? `"${phrase}"` : phrase;
}

/** A query in words, such as `"person" and "cat", but not "dog"`. */
export function queryText(query: SearchQuery): string {
  switch (query.kind) {
    case "phrase":
      return query.text.endsWith("*") ? `words that begin with "${query.text.slice(0, -1)}"` : `"${query.text}"`;
    case "not":
      return `not ${queryText(query.part)}`;
    case "and":
      return query.parts.map(queryText).join(" and ");
    case "or":
      return query.parts.map((part) => (part.kind === "and" ? `(${queryText(part)})` : queryText(part))).join(" or ");
  }
}
