import fc from "fast-check";
import { expect, test } from "vitest";
import { createPlaces } from "../../src/engines/places.ts";

test("never are there more at a time than places, all get one in their order, and who fails leaves his to the next", async () => {
  const turns = (count: number) =>
    Array.from({ length: count }).reduce<Promise<void>>((before) => before.then(() => {}), Promise.resolve());
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.record({ comesAfter: fc.nat(3), lasts: fc.nat(5), fails: fc.boolean() }), { maxLength: 30 }),
      async (most, all) => {
        const places = createPlaces(most);
        const begun: number[] = [];
        let [inside, highest] = [0, 0];
        const outcomes: Promise<string>[] = [];
        for (const [index, { comesAfter, lasts, fails }] of all.entries()) {
          await turns(comesAfter);
          const done = places.run(async () => {
            begun.push(index);
            inside += 1;
            highest = Math.max(highest, inside);
            await turns(lasts);
            inside -= 1;
            if (fails) throw new Error("failed");
            return "done";
          });
          outcomes.push(done.catch(({ message }: Error) => message));
        }
        expect(await Promise.all(outcomes)).toEqual(all.map(({ fails }) => (fails ? "failed" : "done")));
        expect(begun).toEqual(all.map((_, index) => index));
        expect(highest).toBeLessThanOrEqual(most);
      },
    ),
  );
});
