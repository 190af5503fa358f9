import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VectorIndex } from "../../../src/monitoring/entities/vector-index.ts";

const none = new Set<string>();
const hour = 3_600_000;

/** A vector of length 1 from a seed. */
function unit(dimensions: number, seed: number): Float32Array {
  let state = seed * 2_654_435_761 + 1;
  const values = Float32Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

/** A mix of two vectors, of length 1. */
function mixed(a: Float32Array, b: Float32Array, share: number): Float32Array {
  const sum = a.map((value, at) => (1 - share) * value + share * (b[at] ?? 0));
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}

/** Similar vectors, as an embedder returns for people at one camera. */
function likeEachOther(dimensions: number, count: number, share: number): readonly Float32Array[] {
  const common = unit(dimensions, 77_777);
  return Array.from({ length: count }, (_, at) => mixed(unit(dimensions, at), common, share));
}

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe("the nearest vector", () => {
  test("is the one that a plain comparison with all finds, within the time and without the excluded", () => {
    const Stored = fc.record({ seed: fc.nat(1_000), entity: fc.constantFrom("a", "b", "c"), seenAt: fc.nat(10 * hour) });
    const AtLeast = fc.constantFrom(-1, 0, 0.3, 0.85, 1);
    const Question = fc.record({ seed: fc.nat(1_000), at: fc.nat(10 * hour), atLeast: AtLeast, except: fc.subarray(["a", "b"]) });
    // below, at and above the block size of a comparison
    const Dimensions = fc.oneof(fc.integer({ min: 2, max: 9 }), fc.constantFrom(63, 64, 65, 96, 130));
    fc.assert(
      fc.property(Dimensions, fc.array(Stored, { maxLength: 200 }), Question, (dimensions, stored, question) => {
        const index = new VectorIndex(dimensions);
        for (const { seed, entity, seenAt } of stored) index.add(unit(dimensions, seed), { entityId: entity, seenAt, addedAt: 0 });
        const vector = unit(dimensions, question.seed);
        const best = stored
          .filter(({ entity, seenAt }) => !question.except.includes(entity) && Math.abs(seenAt - question.at) <= 3 * hour)
          .map(({ seed }) => cosine(unit(dimensions, seed), vector))
          .reduce<number | undefined>((most, next) => (most === undefined || next > most ? next : most), undefined);
        const { at, atLeast } = question;
        const found = index.nearest({ vector, at, ttlMs: 3 * hour, atLeast, except: new Set(question.except) });
        // a value very close to the limit may be on either side of it
        if (best !== undefined && Math.abs(best - atLeast) < 1e-6) return;
        if (best === undefined || best < atLeast) expect(found).toBeUndefined();
        else expect(found?.similarity).toBeCloseTo(best, 5);
      }),
    );
  });

  test.each([96, 512, 768])(
    "among similar people with %d numbers each equals the plain comparison, and the oldest wins a tie",
    (dimensions) => {
      const crowd = likeEachOther(dimensions, 150, 0.8);
      const index = new VectorIndex(dimensions);
      for (const [at, vector] of [...crowd, ...crowd.slice(0, 50)].entries())
        index.add(vector, { entityId: `e${at}`, seenAt: 0, addedAt: 0 });
      for (const [at, known] of crowd.entries()) {
        const vector = at % 3 === 0 ? known : mixed(known, unit(dimensions, 9_000 + at), 0.2);
        const plain = crowd.map((each) => cosine(each, vector));
        const best = Math.max(...plain);
        const found = index.nearest({ vector, at: 0, ttlMs: hour, atLeast: 0.85, except: none });
        expect(found?.entityId).toBe(`e${plain.indexOf(best)}`);
        expect(found?.similarity).toBeCloseTo(best, 6);
      }
    },
  );

  test("forgets an entity, and what is too old, and takes no more memory than it may", () => {
    const index = new VectorIndex(4_096);
    for (let at = 0; at < 3_000; at += 1) index.add(unit(4_096, at % 7), { entityId: `e${at % 2}`, seenAt: at, addedAt: at });
    expect(index.size).toBeLessThanOrEqual(2_048);
    index.dropBefore(2_900);
    expect(index.size).toBe(100);
    index.forget("e0");
    expect(index.size).toBe(50);
    expect(index.nearest({ vector: unit(4_096, 1), at: 2_950, ttlMs: hour, atLeast: 0.85, except: none })?.entityId).toBe("e1");
  });

  test("among 10,000 is found in a few milliseconds", () => {
    const dimensions = 96;
    const index = new VectorIndex(dimensions);
    for (let at = 0; at < 10_000; at += 1) index.add(unit(dimensions, at), { entityId: `e${at}`, seenAt: 0, addedAt: 0 });
    const times = Array.from({ length: 60 }, (_, at) => {
      const startedAt = performance.now();
      const found = index.nearest({ vector: unit(dimensions, at * 100), at: 0, ttlMs: hour, atLeast: 0.85, except: none });
      expect(found?.entityId).toBe(`e${at * 100}`);
      return performance.now() - startedAt;
    });
    // the best of many runs, so that other load on the machine does not matter
    const best = Math.min(...times);
    expect(best, `the median was ${times.toSorted((a, b) => a - b)[30]} ms`).toBeLessThan(5);
  });
});
