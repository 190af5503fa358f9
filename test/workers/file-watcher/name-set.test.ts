import fc from "fast-check";
import { expect, it } from "vitest";
import { hasName, nameSet } from "../../../daemon/workers/file-watcher/name-set.ts";

it("has what was put in, and nothing else", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ maxLength: 12 }), { maxLength: 200 }), fc.nat(200), (names, part) => {
      const set = nameSet(names.slice(0, part));
      for (const [index, name] of names.entries()) expect(hasName(set, name)).toBe(index < part);
    }),
  );
});

it("does not confuse the names that cameras give, in 8 bytes each", () => {
  const names = Array.from({ length: 200_000 }, (_, n) => `front_00_2026010${n % 9}${String(n).padStart(8, "0")}.jpg`);
  const set = nameSet(names.filter((_, n) => n % 2 === 0));
  expect(set.byteLength).toBe(800_000);
  expect(names.every((name, n) => hasName(set, name) === (n % 2 === 0))).toBe(true);
});
