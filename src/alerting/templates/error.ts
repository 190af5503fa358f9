import type { Undefined } from "./value.ts";

/** What is wrong with a template, and where. The message names the line, the thing and the remedy, and may be shown to whoever wrote the template. */
export class TemplateError extends Error {
  /** The thing that is wrong or unknown: a filter, a statement, a variable, a limit. */
  override readonly name: string;
  /** Line of the template, counted from 1. */
  readonly line: number;

  constructor(line: number, name: string, reason: string, options: { readonly cause?: unknown } = {}) {
    super(`line ${line}: ${reason}`, options);
    this.name = name;
    this.line = line;
  }
}

/** What went wrong inside a rendering, before the line is known: `renderTemplate` makes a `TemplateError` of it. */
export class Fault extends Error {
  /** The thing that is wrong. */
  override readonly name: string;

  constructor(name: string, reason: string) {
    super(reason);
    this.name = name;
  }
}

/** The fault of who works with what is not there. */
export function missing(value: Undefined): Fault {
  return new Fault(value.hint, `${value.hint} is undefined; use it only if it is there, or give it a value with default(...)`);
}
