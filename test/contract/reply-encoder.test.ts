import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { encodeQuickly } from "../../src/contract/reply-encoder.ts";
import { Instant } from "../../src/contract/values.ts";

const Inner = z.object({ at: Instant.nullable(), kind: z.enum(["a", "b"]), extra: z.looseObject({ n: z.int().optional() }).nullable() });
const Reply = z.object({
  items: z.array(Inner),
  total: z.int(),
  share: z.number().optional(),
  small: z.int().min(3).optional(),
  name: z.string(),
  short: z.string().max(3).optional(),
  flag: z.boolean(),
  fixed: z.literal("x").optional(),
  either: z.union([z.string(), Inner]).optional(),
  bag: z.record(z.string(), z.unknown()).optional(),
  later: z.lazy(() => Inner).optional(),
  strict: z.strictObject({ a: z.int() }).optional(),
});

const scalar = fc.constantFrom<unknown>(
  null,
  undefined,
  0,
  4,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "",
  "a",
  "x",
  "long text",
  true,
  [],
  {},
  new Date(0),
  new Date(Number.NaN),
);
const or = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: scalar });
const inner = fc.record(
  {
    at: or(fc.constantFrom(null, new Date("2026-01-31T22:15:00.123Z"))),
    kind: or(fc.constantFrom("a", "b")),
    extra: or(fc.constantFrom(null, {}, { n: 1, more: "kept" })),
    unknown: fc.constant("left out"),
  },
  { requiredKeys: ["at", "kind", "extra"] },
);
const reply = fc.record(
  {
    items: or(fc.array(or(inner), { maxLength: 3 })),
    total: or(fc.integer()),
    share: or(fc.double({ noNaN: true, noDefaultInfinity: true })),
    small: or(fc.integer({ min: 2, max: 5 })),
    name: or(fc.string()),
    short: or(fc.constantFrom("ab", "abcd")),
    flag: or(fc.boolean()),
    fixed: or(fc.constant("x")),
    either: or(fc.oneof(fc.string(), inner)),
    // zod itself drops this key
    bag: or(
      fc.dictionary(
        fc.string().filter((key) => key !== "__proto__"),
        scalar,
      ),
    ),
    later: or(inner),
    strict: or(fc.constantFrom({ a: 1 }, { a: 1, b: 2 })),
    secret: fc.constant("left out"),
  },
  { requiredKeys: ["items", "total", "name", "flag"] },
);

describe("encodeQuickly", () => {
  it("encodeQuickly: gives the same result as zod, and rejects the same values", () => {
    let fitting = 0;
    let refused = 0;
    fc.assert(
      fc.property(reply, (value) => {
        const slow = z.safeEncode(Reply, value as z.output<typeof Reply>);
        const quick = encodeQuickly(Reply, value);
        expect(quick !== undefined).toBe(slow.success);
        if (quick && slow.success) expect(JSON.stringify(quick.wire)).toBe(JSON.stringify(slow.data));
        if (quick) fitting += 1;
        else refused += 1;
      }),
      { numRuns: 3_000 },
    );
    expect(fitting).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(200);
  });
});
