import fc from "fast-check";

/*
 * What the fuzz tests share. Each holds a property against many inputs: a few in `npm test`, thousands with `npm run fuzz`. The inputs come
 * from one seed. A find is made as small as it can be and printed with the seed; `FUZZ_SEED` has the same inputs come again.
 */

/** Whether this is `npm run fuzz`. */
export const isLong = process.env["FUZZ"] === "long";

const seed = Number(process.env["FUZZ_SEED"] ?? process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31)) | 0;

export interface Amount {
  /** Inputs in `npm test`. */
  readonly few: number;
  /** Inputs in `npm run fuzz`. */
  readonly many: number;
}

/** How many there are to be now. */
export const countOf = ({ few, many }: Amount): number => (isLong ? many : few);

/** For vitest: the long form takes what it takes. */
export const testTimeoutMs = isLong ? 3_600_000 : 90_000;

/** However loaded the machine is, what takes longer hangs. */
const hangMs = 30_000;

/** Holds `check` against inputs. What it throws is a find, and what does not come to an end. */
export async function holds<T>(inputs: fc.Arbitrary<T>, amount: Amount, check: (input: T) => Promise<void> | void): Promise<void> {
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      await check(input);
    }),
    { seed, numRuns: countOf(amount), timeout: hangMs },
  );
}

/** As many inputs as there are to be now, for what takes them all at once. The same seed makes the same. */
export function sampleOf<T>(inputs: fc.Arbitrary<T>, amount: Amount): T[] {
  return fc.sample(inputs, { seed, numRuns: countOf(amount) });
}

/** What a failure of `sampleOf` has to name. */
export const seedNote = `FUZZ_SEED=${seed}`;

/** Milliseconds of the processor that `work` took in this process. */
export async function cpuMsOf(work: () => Promise<unknown> | unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
