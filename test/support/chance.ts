/** Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Pseudo-random choices, the same for the same seed and name. */
export interface Chance {
  /** From `least` (inclusive) to `most` (exclusive). */
  between(least: number, most: number): number;
  /** An integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  /** Choices for one part, independent of other parts and of their order. */
  of(part: string | number): Chance;
}

/** Creates the choices for a seed. */
export function chanceFrom(seed: number): Chance {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  return {
    below,
    between: (least, most) => least + random() * (most - least),
    pick: (from) => from[below(from.length)] as never,
    of: (part) => {
      let own = seed >>> 0;
      for (const sign of String(part)) own = (Math.imul(own, 31) + (sign.codePointAt(0) ?? 0)) >>> 0;
      return chanceFrom(own);
    },
  };
}
