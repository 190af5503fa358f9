import fc from "fast-check";
import { expect, it } from "vitest";
import { nameSet } from "../../../daemon/file-watcher/name-set.ts";

it("name set: has the initial and added names, and no others", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ maxLength: 12 }), { maxLength: 200 }), fc.nat(200), fc.nat(20), (names, part, more) => {
      const set = nameSet(names.slice(0, part));
      for (const name of names.slice(part, part + more)) set.add(name);
      for (const [index, name] of names.entries()) expect(set.has(name)).toBe(index < part + more);
    }),
  );
});

it("name set: tells apart the names that cameras give, in 8 bytes each", () => {
  const names = Array.from({ length: 200_000 }, (_, n) => `front_00_2026010${n % 9}${String(n).padStart(8, "0")}.jpg`);
  const known = names.filter((_, n) => n % 2 === 0);
  const before = process.memoryUsage().arrayBuffers;
  const set = nameSet(known);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  expect(names.every((name, n) => set.has(name) === (n % 2 === 0))).toBe(true);
});

it("name set: ignores further names after very many were added, so that they are processed again", () => {
  const set = nameSet(["a"]);
  for (let n = 0; n < 30_000; n += 1) set.add(`b${n}`);
  expect([set.has("a"), set.has("b0"), set.has("b29999")]).toEqual([true, true, false]);
});
