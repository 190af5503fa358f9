import fc from "fast-check";
import { expect, test } from "vitest";
import { type Batcher, createBatcher } from "../../../src/base/async/batcher.ts";

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Returns how long these take: an item that is followed by a pause, a second in this pause, and a third two turns later. */
async function msForThree(groups: Batcher<number, number>): Promise<number> {
  const begunAt = performance.now();
  await groups.add(1);
  const second = groups.add(2);
  await later();
  await later();
  await Promise.all([second, groups.add(3)]);
  return performance.now() - begunAt;
}

test("batcher: groups items of one turn, and those that arrive during the work", async () => {
  const seen: (readonly number[])[] = [];
  const groups = createBatcher({
    maxSize: 3,
    work: async (items: readonly number[]) => {
      seen.push(items);
      await later();
      return items.map((item) => item * 10);
    },
  });
  expect(await Promise.all([1, 2, 3, 4, 5].map((item) => groups.add(item)))).toEqual([10, 20, 30, 40, 50]);
  const first = groups.add(6);
  while (seen.length < 3) await later();
  expect(await Promise.all([first, groups.add(7), groups.add(8)])).toEqual([60, 70, 80]);
  expect(seen).toEqual([[1, 2, 3], [4, 5], [6], [7, 8]]);
});

test("batcher: a full group does not wait for the end of its pause", async () => {
  const groups = createBatcher({ maxSize: 2, everyMs: 5_000, work: async (items: readonly number[]) => items });
  expect(await msForThree(groups)).toBeLessThan(1_000);
});

test("batcher: under load a group collects items for a while, unless it is full", async () => {
  const seen: (readonly number[])[] = [];
  const groups = createBatcher({
    maxSize: 3,
    everyMs: 300,
    work: async (items: readonly number[]) => {
      seen.push(items);
      return items;
    },
  });
  expect(await msForThree(groups)).toBeGreaterThan(290);
  await Promise.all([4, 5, 6].map((item) => groups.add(item)));
  expect(seen).toEqual([[1], [2, 3], [4, 5, 6]]);
});

test("batcher: an item fails only through its own fault, and each gets its own result", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ fails: fc.boolean(), waits: fc.nat(3) }), { maxLength: 30 }), async (things) => {
      const groups = createBatcher({
        maxSize: 4,
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
