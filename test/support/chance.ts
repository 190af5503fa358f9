/** Numbers from 0 to below 1 by chance, always the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Choices by chance, the same for the same seed and name. */
export interface Chance {
  /** From `least` to below `most`. */
  between(least: number, most: number): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  /** The choices of one part. They do not depend on when the whole, or another part, chooses. */
  of(part: string | number): Chance;
}

/** Makes the choices of a seed. */
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
