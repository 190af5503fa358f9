import { expect, test } from "vitest";
import { VectorIndex } from "../../src/monitoring/entities/vector-index.ts";
import { report } from "./report.ts";
import { percentile } from "./statistics.ts";

const live = 10_000;
const rounds = 5;
const questions = 200;
const none = new Set<string>();

/** A random direction; the sum of three uniform numbers is close enough to a normal distribution. */
function direction(dimensions: number): Float32Array {
  return scaled(Float32Array.from({ length: dimensions }, () => Math.random() + Math.random() + Math.random() - 1.5));
}

function scaled(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

/** Mixes two directions so that vectors with the same first one have this cosine to each other. */
function near(common: Float32Array, cosine: number): Float32Array {
  const [own, shared] = [Math.sqrt(1 - cosine), Math.sqrt(cosine)];
  const rest = direction(common.length);
  return scaled(common.map((value, at) => shared * value + own * (rest[at] as number)));
}

/**
 * Composition of the 10,000 vectors: `crowd` are people who all look somewhat alike to an embedder, each seen ten times; in `one person`
 * all vectors belong to the same person, and any of them may be the best match.
 */
const worlds: Readonly<Record<string, (dimensions: number) => () => Float32Array>> = {
  "a crowd": (dimensions) => {
    const common = direction(dimensions);
    const people = Array.from({ length: live / 10 }, () => near(common, 0.6));
    return () => near(people[Math.floor(Math.random() * people.length)] as Float32Array, 0.92);
  },
  "one person": (dimensions) => {
    const person = direction(dimensions);
    return () => near(person, 0.92);
  },
};

for (const [world, peopleOf] of Object.entries(worlds)) {
  test.for([96, 512, 768])(`${world}, %d numbers`, (dimensions, { task }) => {
    const somebody = peopleOf(dimensions);
    const index = new VectorIndex(dimensions);
    for (let at = 0; at < live; at += 1) index.add(somebody(), { entityId: `e${at}`, seenAt: 0, addedAt: 0 });
    const figures: { readonly p50: number; readonly p99: number }[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const took = Array.from({ length: questions }, () => {
        const wanted = { vector: somebody(), at: 0, ttlMs: 1, atLeast: 0.85, except: none };
        const begun = performance.now();
        const found = index.nearest(wanted);
        const ms = performance.now() - begun;
        expect(found?.similarity).toBeGreaterThan(0.85);
        return ms;
      });
      // The first round is a warm-up.
      if (round >= 0) figures.push({ p50: percentile(took, 50), p99: percentile(took, 99) });
    }
    const what = `the nearest of 10,000 live vectors of ${dimensions} numbers, ${world}`;
    report(task, { what: `${what}, p50`, unit: "ms", homesec: figures.map(({ p50 }) => p50), compare: "absolute" });
    report(task, { what: `${what}, p99`, unit: "ms", homesec: figures.map(({ p99 }) => p99), compare: "absolute", limit: { atMost: 5 } });
  });
}
