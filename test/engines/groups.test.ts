import fc from "fast-check";
import { expect, test } from "vitest";
import { createGroups } from "../../src/engines/groups.ts";

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

test("what comes alone is done at once, what comes meanwhile together", async () => {
  const seen: (readonly number[])[] = [];
  const groups = createGroups({
    most: 3,
    work: async (items: readonly number[]) => {
      seen.push(items);
      await later();
      return items.map((item) => item * 10);
    },
  });
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map((item) => groups.add(item)))).toEqual([10, 20, 30, 40, 50, 60]);
  expect(seen).toEqual([[1], [2, 3, 4], [5, 6]]);
  expect(await groups.add(7)).toBe(70);
});

test("nobody fails for another's fault, and each gets an answer of his own", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ fails: fc.boolean(), waits: fc.nat(3) }), { maxLength: 30 }), async (things) => {
      const groups = createGroups({
        most: 4,
        work: async (items: readonly number[]) => {
          await later();
          for (const item of items) if (things[item]?.fails) throw new Error(`thing ${item}`);
          return items.map((item) => `done ${item}`);
        },
      });
      const outcomes = await Promise.allSettled(
        things.map(async ({ waits }, at) => {
          for (let turn = 0; turn < waits; turn += 1) await later();
          return await groups.add(at);
        }),
      );
      expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : String(outcome.reason)))).toEqual(
        things.map(({ fails }, at) => (fails ? `Error: thing ${at}` : `done ${at}`)),
      );
    }),
    { numRuns: 50 },
  );
});
