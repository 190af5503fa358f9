import { type Chance, chanceFrom } from "../../support/chance.ts";

/** Seed of all choices in a run: `CHAOS_SEED` or `TEST_SEED`, or a new one, which is printed so that the run can be repeated. */
const seed = Number(process.env["CHAOS_SEED"] ?? process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
process.stdout.write(`CHAOS_SEED=${seed}\n`);

/** The choices of one part of a run, independent of other parts. */
export const chanceOf = (name: string): Chance => chanceFrom(seed).of(name);
