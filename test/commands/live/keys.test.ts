import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Key, readKeys } from "../../../commands/live/ui/key.ts";

const known: readonly (readonly [string, Key])[] = [
  ["a", { text: "a" }],
  ["é", { text: "é" }],
  ["玄", { text: "玄" }],
  ["\r", "enter"],
  ["\t", "tab"],
  ["\u007f", "backspace"],
  ["\u0003", "interrupt"],
  ["\u001b[A", "up"],
  ["\u001bOB", "down"],
  ["\u001b[1;5C", "right"],
  ["\u001b[5~", "page-up"],
  ["\u001b[6;2~", "page-down"],
  ["\u001b[H", "home"],
  ["\u001b[4~", "end"],
  ["\u001b[Z", "back-tab"],
];

/** The keys of all pieces, joined as a terminal reader does. */
function keysOf(pieces: readonly string[]): Key[] {
  let rest = "";
  return pieces.flatMap((piece) => {
    const read = readKeys(rest + piece);
    rest = read.rest;
    return read.keys;
  });
}

describe("terminal keys", () => {
  it.each(known)("terminal keys: %j is the key %j", (sent, key) => {
    expect(readKeys(sent)).toEqual({ keys: [key], rest: "" });
  });

  it("terminal keys: fast typing, cut anywhere, is read key by key", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...known), { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 6 }), (typed, cuts) => {
        const all = typed.map(([sent]) => sent).join("");
        const places = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
        const pieces = places.slice(1).map((place, at) => all.slice(places[at], place));
        // a letter and its accent are one key only when they arrive together
        expect(keysOf(pieces)).toEqual(typed.map(([, key]) => key));
      }),
    );
  });

  it("terminal keys: input without a meaning here is ignored, such as reports and function keys", () => {
    expect(readKeys("\u001b[?1;2c\u001b[15~\u001b[200~\u0000x")).toEqual({ keys: [{ text: "x" }], rest: "" });
  });

  it("terminal keys: an escape may begin a sequence until the next character rules it out", () => {
    expect(readKeys("\u001b")).toEqual({ keys: [], rest: "\u001b" });
    expect(readKeys("\u001b\u001b[A")).toEqual({ keys: ["escape", "up"], rest: "" });
    expect(readKeys("x\u001b[1;")).toEqual({ keys: [{ text: "x" }], rest: "\u001b[1;" });
  });
});
