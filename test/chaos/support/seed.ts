/** From where all choices of a run come: `CHAOS_SEED`, or a new one, which is printed so that the run can be repeated. */
export const seed = Number(process.env["CHAOS_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
process.stdout.write(`CHAOS_SEED=${seed}\n`);

/** Choices by chance, the same for the same seed and name. */
export interface Chance {
  /** From `least` to below `most`. */
  between(least: number, most: number): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
}

/** The choices of one part of a run. They do not depend on what other parts choose. */
export function chanceOf(name: string): Chance {
  let state = seed >>> 0;
  for (const sign of name) state = (Math.imul(state, 31) + (sign.codePointAt(0) ?? 0)) >>> 0;
  const random = (): number => {
    // mulberry32: small, and the same everywhere
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(random() * limit);
  return { between: (least, most) => least + random() * (most - least), below, pick: (from) => from[below(from.length)] as never };
}
