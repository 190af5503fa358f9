import { Fault } from "./error.ts";
import type { Given, Value } from "./value.ts";

/** Characters that one text inside of a template may have at most. */
const maxText = 262_144;
/** Expressions, statements and macros inside one another at most. */
const maxDepth = 300;
/** Steps between two looks at the time. */
const stepsPerLook = 512;

/** Filters and tests that a template may use, by name. */
export interface Catalog {
  readonly filter: (run: Run, name: string, value: Value, given: Given) => Value;
  readonly test: (run: Run, name: string, value: Value, given: Given) => boolean;
}

/** One rendering: what it has used of its limits, and which line it is at. Every loop that a template can make long pays here. */
export class Run {
  readonly catalog: Catalog;
  line = 1;
  depth = 0;
  readonly #maxSteps: number;
  readonly #maxOutput: number;
  readonly #maxMs: number;
  readonly #started = performance.now();
  #steps = 0;
  #nextLook = stepsPerLook;

  constructor(catalog: Catalog, limits: { readonly maxMs: number; readonly maxOutput: number; readonly maxSteps: number }) {
    this.catalog = catalog;
    this.#maxMs = limits.maxMs;
    this.#maxOutput = limits.maxOutput;
    this.#maxSteps = limits.maxSteps;
  }

  /** Counts steps. Throws `Fault` when they, or the time, are used up. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps < this.#nextLook) return;
    if (this.#steps > this.#maxSteps) throw new Fault("steps", `the template needs more than ${this.#maxSteps} steps; let it do less`);
    if (performance.now() - this.#started > this.#maxMs)
      throw new Fault("time", `the template needs more than ${this.#maxMs} ms; let it do less`);
    this.#nextLook = this.#steps + stepsPerLook;
  }

  /** Makes sure that a text of this length may be made, before it is made. Throws `Fault`. */
  room(length: number): void {
    if (!(length <= maxText)) throw new Fault("text", `a text would have more than ${maxText} characters; make it shorter`);
    this.spend(Math.ceil(length / 64));
  }

  /** Pays for a text that was made. */
  made(text: string): string {
    this.room(text.length);
    return text;
  }

  /** Makes sure that so much output may be printed. Throws `Fault`. */
  output(length: number): void {
    if (length > this.#maxOutput) throw new Fault("output", `the output has more than ${this.#maxOutput} characters; print less`);
  }

  /** Goes one level down. Who calls it goes up again with `depth -= 1`; after a fault the run is over anyway. */
  enter(): void {
    this.depth += 1;
    if (this.depth > maxDepth)
      throw new Fault("depth", `more than ${maxDepth} things are nested in one another; look for a macro that calls itself`);
    this.spend(1);
  }
}
