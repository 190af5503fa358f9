import fc from "fast-check";

/*
 * The base of the fuzz tests. Each test checks a property with many inputs: a few in `npm test`, thousands with `npm run fuzz`. The
 * inputs come from one seed. A failure prints its smallest input and the seed; `FUZZ_SEED` repeats the same inputs.
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

/** The number of inputs in this run. */
export const countOf = ({ few, many }: Amount): number => (isLong ? many : few);

/** The vitest timeout. The long form gets an hour. */
export const testTimeoutMs = isLong ? 3_600_000 : 90_000;

/** Anything slower has hung, even on a loaded machine. */
const hangMs = 30_000;

/** Checks the inputs one after the other. A check fails when it throws or hangs. */
export async function holds<T>(inputs: fc.Arbitrary<T>, amount: Amount, check: (input: T) => Promise<void> | void): Promise<void> {
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      await check(input);
    }),
    { seed, numRuns: countOf(amount), timeout: hangMs },
  );
}

/** Megabytes that a receiver may hold more after all sessions: caches fill up, and nothing of a session stays. */
export const mostHeldMb = 20;

/** The inputs of this run, for a test that uses them all at once. The same seed gives the same inputs. */
export function sampleOf<T>(inputs: fc.Arbitrary<T>, amount: Amount): T[] {
  return fc.sample(inputs, { seed, numRuns: countOf(amount) });
}

/** Names the seed in failures of tests that use `sampleOf`. */
export const seedNote = `FUZZ_SEED=${seed}`;

/** CPU time in milliseconds that `work` took in this process. */
export async function cpuMsOf(work: () => Promise<unknown> | unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
