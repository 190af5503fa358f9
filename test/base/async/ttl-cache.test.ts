import { describe, expect, it } from "vitest";
import { createTtlCache } from "../../../src/base/async/ttl-cache.ts";

describe("TTL cache", () => {
  it("TTL cache: shares results while they are young and while they are computed, but not failures", async () => {
    const kept = createTtlCache<number>();
    const key = {};
    let made = 0;
    const make = async () => {
      made += 1;
      if (made === 2) throw new Error("failed");
      return made;
    };
    expect(await Promise.all([kept.current(key, 0, 5, make), kept.current(key, 4, 5, make)])).toEqual([1, 1]);
    await expect(kept.current(key, 5, 5, make)).rejects.toThrow("failed");
    expect(await kept.current(key, 5, 5, make)).toBe(3);
    expect(await kept.current({}, 5, 5, make)).toBe(4);
    expect(await kept.current(key, 6, 0, make)).toBe(5);
  });
});
