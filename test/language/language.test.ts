import { describe, expect, it } from "vitest";
import { commentsOf, type Hit, hitsIn, type Passage, proseOf, sentencesOf, titlesOf, wordCount } from "./turns.ts";

/** Maximum turns per 1,000 words for each kind of text. A limit may only shrink; the goal is 1.0. */
const limits: Readonly<Record<string, number>> = {
  help: 1,
  "messages and descriptions": 1,
  docs: 1,
  changelog: 1,
  "mail templates": 1,
  comments: 1,
  "comments of tests": 1,
  "test titles": 1,
};

const product = ["bin", "commands", "daemon", "src"];
const everywhere = (read: (folder: string) => readonly Passage[], folders: readonly string[]): readonly Passage[] => folders.flatMap(read);

/** The texts that readers see, by kind. */
const kinds: Readonly<Record<string, () => readonly Passage[]>> = {
  help: () => proseOf(/^docs\/(?:cli|configuration|doctor)\.md$/),
  "messages and descriptions": () => everywhere(sentencesOf, product),
  docs: () => proseOf(/^(?:README|CONTRIBUTING|SECURITY|docs\/(?!cli|configuration|doctor).*|packaging\/.*)\.md$/),
  changelog: () => proseOf(/^CHANGELOG\.md$/),
  "mail templates": () => proseOf(/^mail-templates\//),
  comments: () => everywhere(commentsOf, product),
  "comments of tests": () => commentsOf("test"),
  "test titles": () => titlesOf("test"),
};

describe("language", () => {
  it.each(Object.entries(limits))("language: %s have at most %d turns per 1,000 words that native writers do not use", (kind, limit) => {
    const passages = kinds[kind]?.() ?? [];
    const words = wordCount(passages.map(({ text }) => text).join(" "));
    const hits = hitsIn(passages);
    const perThousand = (1_000 * hits.length) / words;
    expect(words).toBeGreaterThan(100);
    expect(perThousand, listed(hits)).toBeLessThanOrEqual(limit);
  });

  it("language: a turn is found in each kind of text", () => {
    expect(
      hitsIn([{ place: "a", text: "What cannot be sent is tried once more. Whom it told is told by itself." }]).length,
    ).toBeGreaterThan(2);
    expect(titlesOf("test/language").map(({ text }) => text)).toContain("language: a turn is found in each kind of text");
    expect(commentsOf("test/language").some(({ text }) => text.startsWith("Turns of phrase"))).toBe(true);
  });
});

function listed(hits: readonly Hit[]): string {
  return hits.map(({ place, turn }) => `${place}: ${turn}`).join("\n");
}
