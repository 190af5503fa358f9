import type { Undefined } from "./value.ts";

/** An error in a template. The message names the line, the cause and the fix, and may be shown to the author of the template. */
export class TemplateError extends Error {
  /** The name at fault: a filter, a statement, a variable or a limit. */
  override readonly name: string;
  /** Line of the template, starting at 1. */
  readonly line: number;

  constructor(line: number, name: string, reason: string, options: { readonly cause?: unknown } = {}) {
    super(`line ${line}: ${reason}`, options);
    this.name = name;
    this.line = line;
  }
}

/** An error during rendering, before its line is known; `renderTemplate` turns it into a `TemplateError`. */
export class Fault extends Error {
  /** The name at fault. */
  override readonly name: string;

  constructor(name: string, reason: string) {
    super(reason);
    this.name = name;
  }
}

/** Returns the fault for the use of an undefined value. */
export function missing(value: Undefined): Fault {
  return new Fault(value.hint, `${value.hint} is undefined; use it only if it is there, or give it a value with default(...)`);
}
