import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { difference } from "../../../commands/live/terminal.ts";
import { broken, cellWidth, fitted, steady, tailOf } from "../../../commands/live/text.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

const texts = fc.string({ unit: "binary", maxLength: 40 });

describe("text from outside", () => {
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
  ])("is shown steady: %s", (_, given, expected) => {
    expect(steady(given)).toBe(expected);
  });

  it("never holds what moves a cursor, and is as wide as a terminal draws it", () => {
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
  ])("%j is %i columns wide", (text, columns) => {
    expect(cellWidth(text)).toBe(columns);
  });

  it("takes exactly its place, whatever it is", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 30 }), (text, width) => {
        expect(cellWidth(fitted(steady(text), width))).toBe(width);
        expect(cellWidth(fitted(`\u001b[1m${steady(text)}\u001b[22m`, width))).toBe(width);
        expect(cellWidth(tailOf(steady(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("says with a sign that it was cut, and does not cut a wide character in half", () => {
    expect(fitted("front-door", 6)).toBe("front…");
    expect(fitted("玄関カメラ", 6)).toBe("玄関… ");
    expect(fitted("\u001b[31mfront-door\u001b[39m", 6)).toBe("\u001b[31mfront…\u001b[0m");
    expect(tailOf("abc玄関", 5)).toBe("c玄関");
  });
});

describe("a text that is longer than its place", () => {
  it("goes on in the next lines, whatever it is, and loses nothing but spaces", () => {
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

  it("is broken between words, within what has no spaces, and stands under its column", () => {
    expect(broken("a person at the door", 9)).toEqual(["a person", "at the", "door"]);
    expect(broken("see /media/cameras", 8)).toEqual(["see", "/media/c", "ameras"]);
    expect(broken("玄関の前に知らない人がいる", 10)).toEqual(["玄関の前に", "知らない人", "がいる"]);
    expect(broken(" aaaa玄", 5)).toEqual(["", "aaaa", "玄"]);
    expect(broken("summary  somebody is at the front door", 30)).toEqual(["summary  somebody is at the", "         front door"]);
    expect(broken("\u001b[31mred\u001b[39m and plain", 7)).toEqual(["\u001b[31mred\u001b[0m and", "plain"]);
  });
});

describe("a new frame on a terminal", () => {
  const lines = fc.array(fc.string({ minLength: 0, maxLength: 20, unit: "grapheme-ascii" }), { maxLength: 12 });

  it("shows the new lines whatever was there before", () => {
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

  it("writes only the lines that changed, and never clears the screen: nothing flickers", () => {
    const text = difference(["one", "two", "three"], ["one", "2", "three"]);
    expect(text).toBe("\u001b[?2026h\u001b[2;1H\u001b[K2\u001b[0m\u001b[?2026l");
    expect(difference(["one"], ["one"])).toBe("");
  });
});
