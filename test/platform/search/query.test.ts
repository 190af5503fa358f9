import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSearch, phrasesOf, type SearchQuery, wantedOf } from "../../../src/platform/search/query.ts";

/** Formats a query with all brackets: (a & "b c" | !d). */
function shown(query: SearchQuery): string {
  if (query.kind === "phrase") return query.text.includes(" ") ? `"${query.text}"` : query.text;
  if (query.kind === "not") return `!${shown(query.part)}`;
  return `(${query.parts.map(shown).join(query.kind === "and" ? " & " : " | ")})`;
}

describe("required part of a query", () => {
  it.each([
    ["dog -cat", "dog"],
    ["dog -cat garden", "(dog & garden)"],
    ["a OR -b", "a"],
    ["a -b OR c d -e", "(a | (c & d))"],
    ["-a -b", undefined],
  ])("of %j is %s", (text, expected) => {
    const wanted = wantedOf(parseSearch(text));
    expect(wanted && shown(wanted)).toBe(expected);
  });
});

describe("search query", () => {
  it.each([
    ["dog", "dog"],
    ["  dog  ", "dog"],
    ["dog garden", "(dog & garden)"],
    ["dog AND garden", "(dog & garden)"],
    ['"red jacket" gate', '("red jacket" & gate)'],
    ['"red jacket', '"red jacket"'],
    ["dog OR cat", "(dog | cat)"],
    ["a b OR c d", "((a & b) | (c & d))"],
    ["a OR b OR c", "(a | b | c)"],
    ["a OR -b", "(a | !b)"],
    ["-dog", "!dog"],
    ["NOT dog", "!dog"],
    ["NOT -dog", "dog"],
    ["cat NOT dog", "(cat & !dog)"],
    ['-"red jacket" cat', '(!"red jacket" & cat)'],
    ["front-door", "front-door"],
    ["cat - dog", "(cat & dog)"],
    ["or and not", "(or & and & not)"],
    ['"OR" "NOT"', "(OR & NOT)"],
    ["OR dog OR", "dog"],
    ["AND dog NOT", "dog"],
    ["ca*", "ca*"],
    ["¿über? *", "¿über?"],
    ["dog\tcat\ngate", "(dog & cat & gate)"],
    ['cat"red jacket"gate', '(cat & "red jacket" & gate)'],
  ])("%j means %s", (text, expected) => {
    expect(shown(parseSearch(text))).toBe(expected);
  });

  it.each(["", " ", "-", "OR", '""', "!!! ???", Array.from({ length: 33 }, (_, n) => `w${n}`).join(" ")])("%j is refused", (text) => {
    expect(() => parseSearch(text)).toThrow(
      expect.objectContaining({ kind: "invalid", items: [expect.objectContaining({ loc: ["query", "q"], type: "value_error" })] }),
    );
  });

  it("search query: any text is parsed or refused", () => {
    const piece = fc.oneof(fc.constantFrom("OR", "AND", "NOT", "-", '"', " ", "dog", "*", "(", "&", "!"), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          expect(phrasesOf(parseSearch(pieces.join(""))).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toMatchObject({ kind: "invalid" });
        }
      }),
      { numRuns: 500 },
    );
  });
});
