import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasLongList, parseJson, serializeJson } from "../../../daemon/http/json-steps.ts";
import { runAtOnce } from "../../../src/base/async/slices.ts";

const limits = { mostValues: 1_000_000, pieceBytes: 10 };
const parsed = (text: string, own: Partial<typeof limits> = {}): unknown => runAtOnce(parseJson(Buffer.from(text), { ...limits, ...own }));

/** The value, or that there is none. */
function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof SyntaxError) return "invalid";
    throw error;
  }
}

const space = fc.constantFrom("", "", " ", "\n", "\t\r\n");
/** JSON of an object with lists, as people and programs write it. */
const bodies = fc.tuple(fc.dictionary(fc.string(), fc.oneof(fc.array(fc.jsonValue(), { maxLength: 20 }), fc.jsonValue())), fc.nat(3));
const texts = fc.oneof(
  bodies.map(([body, indent]) => JSON.stringify(body, undefined, indent)),
  fc.json(),
  fc
    .tuple(space, fc.json(), space, fc.json())
    .map(([a, one, b, two]) => `{${a}"a"${b}:${a}[${one}${b},${two}],"a":[${two},${one}]${a}}${b}`),
);
/** One of them with characters removed, repeated or inserted. */
const damaged = fc
  .tuple(texts, fc.nat(), fc.nat(6), fc.constantFrom("", ",", "]", "}", "[", "{", '"', "\\", ":", "1", " ", "null"))
  .map(([text, at, length, inserted]) => {
    const cut = at % (text.length + 1);
    return text.slice(0, cut) + inserted + text.slice(cut + length);
  });

describe("JSON in steps", () => {
  it("JSON in steps: any text has the value that JSON.parse finds, or is as invalid", () => {
    const same = (text: string): void => {
      expect(outcome(() => parsed(text))).toEqual(outcome(() => JSON.parse(text)));
    };
    fc.assert(fc.property(texts, same), { numRuns: 200 });
    fc.assert(fc.property(damaged, same), { numRuns: 800 });
  });

  it.each([
    '{"a":[11111,22222,33333,]}',
    '{"a":[,11111,22222,33333]}',
    '{"a":[11111,,22222,33333]}',
    '{"a":[11111,22222,33333}',
    '{"a":[[11111},22222,33333]}',
    '{"a":[11111,22222,33333]]}',
    '{"a":[11111,22222,"33333]}',
    '{"a":[11111,22222,33333],"a":[1,2,',
    '{"a":[1111111111,x,2222222222],"a":1}',
    '{"a":[11111,22222,33333]} {"a":1}',
  ])("JSON in steps: %s is invalid", (text) => {
    expect(outcome(() => parsed(text))).toBe("invalid");
  });

  it("JSON in steps: repeated fields, `__proto__` and escaped quotes mean what they mean for JSON.parse", () => {
    for (const text of [
      '{"a":[11111,22222,33333],"a":[1],"b":{"a":[11111,22222,33333]}}',
      '{"__proto__":[11111,22222,33333],"c":"[1,2"}',
      '{"a":["\\"]","\\\\","],[\\\\\\"", "x,y", "ünïcödé 🎥"]}',
    ]) {
      expect(parsed(text)).toEqual(JSON.parse(text));
      expect(Object.keys(parsed(text) as object)).toEqual(Object.keys(JSON.parse(text) as object));
    }
  });

  it("JSON in steps: too many values are refused before they are parsed; empty lists and objects hold none", () => {
    const list = (count: number, value: string): string => `{"a":[${Array.from({ length: count }, () => value).join(",")}]}`;
    expect(parsed(list(99, "{}"), { mostValues: 100 })).toEqual({ a: Array.from({ length: 99 }, () => ({})) });
    for (const value of ["1", "[]", "{}", '"x,y"']) {
      expect(parsed(list(99, value), { mostValues: 100 })).toBeDefined();
      expect(() => parsed(list(100, value), { mostValues: 100 })).toThrow("more than 100 values");
    }
    expect(() => parsed("[".repeat(200), { mostValues: 100 })).toThrow("more than 100 values");
  });
});

describe("JSON of long replies", () => {
  const wires = fc.dictionary(
    fc.string(),
    fc.oneof(
      fc.jsonValue(),
      fc.constant(undefined),
      fc
        .tuple(fc.integer({ min: 101, max: 150 }), fc.oneof(fc.jsonValue(), fc.string({ minLength: 1_000, maxLength: 2_000 })))
        .map(([count, item]) => Array.from({ length: count }, () => item)),
    ),
  );

  it("JSON of long replies: is what JSON.stringify writes", () => {
    fc.assert(
      fc.property(wires, (wire) => {
        expect(runAtOnce(serializeJson(wire)).toString()).toBe(JSON.stringify(wire));
      }),
      { numRuns: 200 },
    );
  });

  it("JSON of long replies: a list of more than 100 items makes a reply long", () => {
    const list = (count: number) => Array.from({ length: count }, () => 1);
    expect([{ items: list(101) }, { items: list(100) }, list(200), "x", null].map(hasLongList)).toEqual([true, false, false, false, false]);
  });
});
