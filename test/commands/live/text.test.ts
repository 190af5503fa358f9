import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { difference } from "../../../commands/live/terminal.ts";
import { broken, cellWidth, fitted, steady, tailOf } from "../../../commands/live/text.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

const texts = fc.string({ unit: "binary", maxLength: 40 });

describe("external text", () => {
  it.each([
    ["a family, joined", "👨‍👩‍👧 home", "👨 home"],
    ["a colour of skin", "👋🏽", "👋"],
    ["a flag", "🇩🇪 Berlin", "DE Berlin"],
    ["a heart that is text or picture", "❤️", "❤"],
    ["a keycap", "1️⃣", "1"],
    ["what nobody sees", "a\u200bb\u00adc\u2060", "abc"],
    ["letters with accents", "Café e\u0301", "Café e\u0301"],
    ["lines", "one\r\ntwo\tthree", "one two three"],
    ["codes for terminals", "\u001b]0;title\u0007\u001b[2J\u009b31m", "�]0;title��[2J�31m"],
    ["marks that turn text around", "abc\u202egnp.exe", "abc�gnp.exe"],
  ])("external text: is shown harmlessly: %s", (_, given, expected) => {
    expect(steady(given)).toBe(expected);
  });

  it("external text: never contains cursor movements, and has the width that a terminal draws", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = steady(text);
        expect(shown).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
        expect(steady(shown)).toBe(shown);
      }),
    );
  });

  it.each([
    ["玄関カメラ", 10],
    ["🌳", 2],
    ["☀ © ™", 5],
    ["e\u0301", 1],
    ["한국", 4],
    ["\u001b[31mred\u001b[39m", 3],
  ])("external text: %j is %i columns wide", (text, columns) => {
    expect(cellWidth(text)).toBe(columns);
  });

  it("external text: fills exactly its place", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 30 }), (text, width) => {
        expect(cellWidth(fitted(steady(text), width))).toBe(width);
        expect(cellWidth(fitted(`\u001b[1m${steady(text)}\u001b[22m`, width))).toBe(width);
        expect(cellWidth(tailOf(steady(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("external text: ends with a sign where it is cut, and never in the middle of a wide character", () => {
    expect(fitted("front-door", 6)).toBe("front…");
    expect(fitted("玄関カメラ", 6)).toBe("玄関… ");
    expect(fitted("\u001b[31mfront-door\u001b[39m", 6)).toBe("\u001b[31mfront…\u001b[0m");
    expect(tailOf("abc玄関", 5)).toBe("c玄関");
  });
});

describe("long text", () => {
  it("long text: wraps into further lines and loses nothing except spaces", () => {
    const letters = (text: string): string => text.replace(/ /g, "");
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 60 }), (text, width) => {
        const lines = broken(steady(text), width);
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width);
        expect(letters(lines.join(""))).toBe(letters(steady(text)));
        const red = broken(`\u001b[31m${steady(text)}\u001b[39m`, width);
        for (const line of red) expect(cellWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("long text: wraps between words, or within a long word, and stays in its column", () => {
    expect(broken("a person at the door", 9)).toEqual(["a person", "at the", "door"]);
    expect(broken("see /media/cameras", 8)).toEqual(["see", "/media/c", "ameras"]);
    expect(broken("玄関の前に知らない人がいる", 10)).toEqual(["玄関の前に", "知らない人", "がいる"]);
    expect(broken(" aaaa玄", 5)).toEqual(["", "aaaa", "玄"]);
    expect(broken("summary  somebody is at the front door", 30)).toEqual(["summary  somebody is at the", "         front door"]);
    expect(broken("\u001b[31mred\u001b[39m and plain", 7)).toEqual(["\u001b[31mred\u001b[0m and", "plain"]);
  });
});

describe("new frame", () => {
  const lines = fc.array(fc.string({ minLength: 0, maxLength: 20, unit: "grapheme-ascii" }), { maxLength: 12 });

  it("new frame: replaces whatever the terminal showed before", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const terminal = new FakeTerminal(20, 12);
        terminal.write(difference([], before));
        terminal.write(difference(before, after));
        expect(terminal.lines.slice(0, after.length)).toEqual(after.map((line) => line.trimEnd()));
        expect(terminal.lines.slice(after.length).join("")).toBe("");
      }),
    );
  });

  it("new frame: writes only changed lines and never clears the screen, so that nothing flickers", () => {
    const text = difference(["one", "two", "three"], ["one", "2", "three"]);
    expect(text).toBe("\u001b[?2026h\u001b[2;1H\u001b[K2\u001b[0m\u001b[?2026l");
    expect(difference(["one"], ["one"])).toBe("");
  });
});
