import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isRefusedAddress } from "../../../src/platform/outbound/address.ts";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";
import { type Connects, recordConnects } from "./connects.ts";

let connects: Connects;
beforeAll(() => {
  connects = recordConnects();
});
afterAll(() => connects.stop());

const byte = fc.integer({ min: 0, max: 255 });
type Bytes = readonly [number, number, number, number];
const anyV4 = fc.tuple(byte, byte, byte, byte);
const refusedV4: fc.Arbitrary<Bytes> = fc.oneof(
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(0), byte, byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
  fc.constantFrom<Bytes>([100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192]),
);

/** Plain arithmetic, independent of the program. */
const isBad = ([a, b, c, d]: Bytes): boolean => {
  const is = (...start: number[]): boolean => start.every((value, at) => value === [a, b, c, d][at]);
  const nobodys = is(192, 0, 0) || is(192, 0, 2) || is(198, 51, 100) || is(203, 0, 113) || is(192, 88, 99);
  return a === 0 || a >= 224 || is(169, 254) || is(100, 100, 100, 200) || is(168, 63, 129, 16) || nobodys;
};

const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
const number = ([a, b, c, d]: Bytes): number => ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
const radix = fc.constantFrom(
  (n: number) => String(n),
  (n: number) => `0x${n.toString(16)}`,
  (n: number) => `0${n.toString(8)}`,
  (n: number) => `0X00${n.toString(16).toUpperCase()}`,
);

/** Notations of one IPv4 address as the host of a URL. */
const written = (v4: Bytes): fc.Arbitrary<string> => {
  const [a, b, c, d] = v4;
  return fc.oneof(
    fc.tuple(radix, radix, radix, radix).map(([f, g, h, i]) => `${f(a)}.${g(b)}.${h(c)}.${i(d)}`),
    fc.tuple(radix, radix, radix).map(([f, g, h]) => `${f(a)}.${g(b)}.${h((c << 8) | d)}`),
    fc.tuple(radix, radix).map(([f, g]) => `${f(a)}.${g((b << 16) | (c << 8) | d)}`),
    radix.map((f) => f(number(v4))),
    fc.constant(
      [a, b, c, d].map((part) => [...String(part)].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join("")).join("。"),
    ),
    fc.constantFrom(
      `[::ffff:${hex(a, b)}:${hex(c, d)}]`,
      `[::ffff:${v4.join(".")}]`,
      `[0:0:0:0:0:FFFF:${hex(a, b)}:${hex(c, d)}]`,
      `[::ffff:0:${hex(a, b)}:${hex(c, d)}]`,
      `[64:ff9b::${hex(a, b)}:${hex(c, d)}]`,
      `[2002:${hex(a, b)}:${hex(c, d)}::1]`,
      `[2001:0:7f00:1::${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}]`,
      `[2001:0:${hex(a, b)}:${hex(c, d)}::80ff:fffe]`,
    ),
  );
};

const outbound = createOutbound({ allow: [], resolve: async () => ["169.254.169.254"] });
const refusedBeforeAnything = async (url: string): Promise<void> => {
  const refusal = await outbound.refusalOf(url);
  expect(refusal, url).toBeDefined();
  expect(await outbound.post({ url, headers: {}, body: "", timeoutMs: 2_000 }), url).toEqual({ kind: "refused", error: refusal });
  expect(connects.addresses(), url).toEqual([]);
};

it("any URL: a refused address is refused in every notation", async () => {
  const urls = refusedV4.chain((v4) =>
    fc.tuple(
      fc.constantFrom("http:", "https:", "HTTP:"),
      fc.constantFrom("//", "\\\\", "/", ""),
      written(v4),
      fc.constantFrom("", ":80", ":8080"),
      fc.constantFrom("", "/", "/x?y#z"),
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      urls,
      async ([scheme, slashes, host, port, rest]) => await refusedBeforeAnything(`${scheme}${slashes}${host}${port}${rest}`),
    ),
    { numRuns: 600 },
  );
});

it("any URL: every other IPv4 address is allowed in every notation", () => {
  fc.assert(
    fc.property(
      anyV4.chain((v4) => fc.tuple(fc.constant(v4), written(v4))),
      ([v4, host]) => {
        const { hostname } = new URL(`http://${host}/`);
        expect(isRefusedAddress(hostname), host).toBe(isBad(v4));
      },
    ),
    { numRuns: 1_500 },
  );
});

it("any URL: no text causes a crash, and none passes whose name resolves to a refused address", async () => {
  const part = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom(
      "http://",
      "https://",
      "//",
      "@",
      ":",
      "[",
      "]",
      "%00",
      "%2f",
      "\\",
      "#",
      "?",
      "。",
      "．",
      "xn--",
      "::",
      "0x",
      "..",
      "\t",
      "\n",
      "\0",
      "user:pw@",
      "localhost.test",
      "hooks.example",
    ),
  );
  const texts = fc.oneof(
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
    fc.array(part, { maxLength: 6 }).map((parts) => `http://${parts.join("")}`),
    fc.webUrl({
      withFragments: true,
      withQueryParameters: true,
      authoritySettings: { withIPv4: false, withPort: true, withUserInfo: true },
    }),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      // This test does not concern allowed addresses
      const host = URL.canParse(text) ? new URL(text).hostname : "";
      fc.pre(!/^\[|^\d/.test(host) || isRefusedAddress(host));
      await refusedBeforeAnything(text);
    }),
    { numRuns: 400 },
  );
});
