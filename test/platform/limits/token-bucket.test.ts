import fc from "fast-check";
import { expect, test } from "vitest";
import { TokenBucket } from "../../../src/platform/limits/token-bucket.ts";

const rate = { perSecond: 20, burst: 20 };

test("token bucket: allows the burst at once, then the rate", () => {
  const bucket = new TokenBucket(rate, 1_000);
  expect(Array.from({ length: 21 }, () => bucket.take(1_000))).toEqual([...Array(20).fill(true), false]);
  expect([bucket.take(1_049), bucket.take(1_050), bucket.take(1_050)]).toEqual([false, true, false]);
  expect(Array.from({ length: 21 }, () => bucket.take(100_000)).filter(Boolean)).toHaveLength(20);
});

test("token bucket: no period has more uses than the burst plus the rate, and no slower client is refused", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 }), (pauses) => {
      const bucket = new TokenBucket(rate, 0);
      let now = 0;
      const taken: number[] = [];
      for (const pause of pauses) {
        now += pause;
        const isSlow = pause >= 50 && taken.length < rate.burst;
        const isTaken = bucket.take(now);
        if (isSlow) expect(isTaken).toBe(true);
        if (isTaken) taken.push(now);
      }
      for (const [at, from] of taken.entries()) {
        const inSecond = taken.slice(at).filter((time) => time < from + 1_000).length;
        expect(inSecond).toBeLessThanOrEqual(rate.burst + rate.perSecond);
      }
    }),
  );
});
