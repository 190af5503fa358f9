import { Fault } from "./error.ts";
import type { Given, Value } from "./value.ts";

/** Maximum length of one text inside a template, in characters. */
const maxText = 262_144;
/** Maximum nesting of expressions, statements and macros. */
const maxDepth = 300;
/** Steps between two checks of the time limit. */
const stepsPerCheck = 512;

/** Filters and tests of templates, by name. */
export interface Catalog {
  readonly filter: (run: Run, name: string, value: Value, given: Given) => Value;
  readonly test: (run: Run, name: string, value: Value, given: Given) => boolean;
}

/** The state of one rendering: the steps it has used, and its line. Every loop that a template can lengthen counts its steps here. */
export class Run {
  readonly catalog: Catalog;
  line = 1;
  depth = 0;
  readonly #maxSteps: number;
  readonly #maxOutput: number;
  readonly #maxMs: number;
  readonly #started = performance.now();
  #steps = 0;
  #nextCheck = stepsPerCheck;

  constructor(catalog: Catalog, limits: { readonly maxMs: number; readonly maxOutput: number; readonly maxSteps: number }) {
    this.catalog = catalog;
    this.#maxMs = limits.maxMs;
    this.#maxOutput = limits.maxOutput;
    this.#maxSteps = limits.maxSteps;
  }

  /** Counts steps. Throws `Fault` when the steps or the time are used up. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps < this.#nextCheck) return;
    if (this.#steps > this.#maxSteps) throw new Fault("steps", `the template needs more than ${this.#maxSteps} steps; let it do less`);
    if (performance.now() - this.#started > this.#maxMs)
      throw new Fault("time", `the template needs more than ${this.#maxMs} ms; let it do less`);
    this.#nextCheck = this.#steps + stepsPerCheck;
  }

  /** Checks the length of a text before it is built. Throws `Fault`. */
  room(length: number): void {
    if (!(length <= maxText)) throw new Fault("text", `a text would have more than ${maxText} characters; make it shorter`);
    this.spend(Math.ceil(length / 64));
  }

  /** Counts the steps of a text that was built. */
  made(text: string): string {
    this.room(text.length);
    return text;
  }

  /** Checks the amount of output. Throws `Fault`. */
  output(length: number): void {
    if (length > this.#maxOutput) throw new Fault("output", `the output has more than ${this.#maxOutput} characters; print less`);
  }

  /** Enters one level. The caller leaves it with `depth -= 1`; after a fault the rendering has ended anyway. */
  enter(): void {
    this.depth += 1;
    if (this.depth > maxDepth)
      throw new Fault("depth", `more than ${maxDepth} things are nested in one another; look for a macro that calls itself`);
    this.spend(1);
  }
}
