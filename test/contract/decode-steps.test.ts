import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { runAtOnce } from "../../src/base/async/slices.ts";
import { decodeInSteps, type Faults } from "../../src/contract/decode-steps.ts";
import { fromOutside, problemItems } from "../../src/contract/issues.ts";
import { SentAlerts } from "../../src/contract/routes/alert-receiver.ts";
import { Instant } from "../../src/contract/values.ts";

/** The result of decoding an input: the value, or the errors that a client gets. */
function inSteps(schema: z.ZodType, input: unknown): unknown {
  const faults: Faults = { issues: [], unreported: 0 };
  const value = runAtOnce(decodeInSteps(schema, input, faults));
  return faults.issues.length === 0 ? { value } : problemItems(faults.issues, input, ["body"], faults.unreported);
}
function atOnce(schema: z.ZodType, input: unknown): unknown {
  const parsed = schema.safeParse(input, fromOutside);
  return parsed.success ? { value: parsed.data } : problemItems(parsed.error.issues, input, ["body"]);
}

/** Lists of 1,500 items, of which some differ. */
const longList = (item: fc.Arbitrary<unknown>, usual: unknown): fc.Arbitrary<unknown[]> =>
  fc.array(fc.tuple(fc.nat(1_499), item), { maxLength: 5 }).map((others) => {
    const list = Array.from({ length: 1_500 }, () => usual);
    for (const [at, other] of others) list[at] = other;
    return list;
  });

const Part = z.object({ n: z.int(), at: Instant.optional(), kind: z.enum(["a", "b"]).default("a") });
const schemas: readonly (readonly [string, z.ZodType, fc.Arbitrary<unknown>])[] = [
  ["a list", z.array(z.string()), longList(fc.jsonValue(), "x")],
  ["a list of objects", z.object({ parts: z.array(Part) }), fc.record({ parts: longList(fc.jsonValue(), { n: 1, at: "2026-01-31" }) })],
  ["an optional list", z.strictObject({ parts: z.array(Part).nullish() }), fc.record({ parts: longList(fc.jsonValue(), { n: 1 }) })],
  [
    "a long text map in one of two items",
    z.array(z.object({ labels: z.record(z.string(), z.string()) })),
    longList(fc.jsonValue(), "x").map((texts) => [{ labels: {} }, { labels: Object.fromEntries(texts.map((text, n) => [`l${n}`, text])) }]),
  ],
  ["a list with checks", z.object({ ids: z.array(z.int()).min(1).max(1_400) }), fc.record({ ids: longList(fc.nat(), 7) })],
  [
    "an object with a check",
    z.object({ ids: z.array(z.int()), most: z.int() }).refine(({ ids, most }) => ids.every((id) => id <= most), "too high"),
    fc.record({ ids: longList(fc.nat(20), 7), most: fc.nat(20) }),
  ],
];

describe("decoding in steps", () => {
  it.each(schemas)("decoding in steps: %s has the same value or errors as at once", (_name, schema, inputs) => {
    fc.assert(
      fc.property(inputs, (input) => {
        expect(inSteps(schema, input)).toEqual(atOnce(schema, input));
      }),
      { numRuns: 20 },
    );
  });

  it("decoding in steps: a long message of alerts has the same value or errors as at once", () => {
    const alert = { status: "firing", labels: { a: "b" }, annotations: {}, startsAt: "2026-01-31T22:15:00Z", fingerprint: "f" };
    const message = { version: "4", groupKey: "{}", status: "resolved", receiver: "r", groupLabels: {}, commonLabels: {} };
    for (const alerts of [
      Array.from({ length: 2_000 }, (_, n) => ({ ...alert, fingerprint: `f${n}`, more: true })),
      Array.from({ length: 2_000 }, (_, n) => (n % 500 === 3 ? { ...alert, startsAt: "soon", labels: { a: n } } : alert)),
      Array.from({ length: 2_000 }, () => ({ labels: [] })),
    ]) {
      const input = { ...message, commonAnnotations: {}, externalURL: "", alerts };
      expect(inSteps(SentAlerts, input)).toEqual(atOnce(SentAlerts, input));
      expect(inSteps(SentAlerts, { ...message, alerts })).toEqual(atOnce(SentAlerts, { ...message, alerts }));
    }
  });

  it("decoding in steps: thousands of unknown fields are reported by the first hundred and the number of the others", () => {
    const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, 1]));
    const items = inSteps(z.strictObject({}), input) as readonly { readonly msg: string }[];
    expect(items).toHaveLength(101);
    expect(items.at(-1)?.msg).toBe("And 4900 more");
    expect(items).toEqual(atOnce(z.strictObject({}), input));
  });
});
