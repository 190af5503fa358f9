import { bind } from "./arguments.ts";
import type { Statement } from "./ast.ts";
import { copyData, own } from "./data.ts";
import { Fault, TemplateError } from "./error.ts";
import { execute } from "./execute.ts";
import { filters } from "./filters/index.ts";
import { functionOf } from "./functions.ts";
import { parse } from "./parser.ts";
import { type Catalog, Run } from "./run.ts";
import { Scope } from "./scope.ts";
import { tests } from "./tests.ts";
import { Undefined, type Value } from "./value.ts";

export { TemplateError } from "./error.ts";

/** Maximum length of a template, in characters. */
const maxSource = 32_768;

/** A compiled template for `renderTemplate`. */
export interface Template {
  readonly statements: readonly Statement[];
}

/** Limits of one rendering: milliseconds (100), characters of output (65,536), steps (500,000). */
export interface TemplateLimits {
  readonly maxMs?: number;
  readonly maxOutput?: number;
  readonly maxSteps?: number;
}

/** Compiles a template in Jinja2's language. Throws `TemplateError` with line and name for errors and for unsupported parts. */
export function compileTemplate(source: string): Template {
  if (source.length > maxSource)
    throw new TemplateError(1, "template", `the template has more than ${maxSource} characters; make it shorter`);
  return { statements: parse(source) };
}

/**
 * Renders a template with plain data, as from JSON; other values are ignored (data.ts). There is no automatic escaping. Throws
 * `TemplateError` if a part of the template fails with these values or reaches a limit.
 */
export function renderTemplate(template: Template, values: Readonly<Record<string, unknown>>, limits: TemplateLimits = {}): string {
  const run = new Run(catalog, { maxMs: limits.maxMs ?? 100, maxOutput: limits.maxOutput ?? 65_536, maxSteps: limits.maxSteps ?? 500_000 });
  const known = new Map<string, Value>();
  const outermost = (name: string): Value => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const data = Object.hasOwn(values, name) ? copyData(run, own(values, name)) : undefined;
    const value = data === undefined ? (functionOf(run, name) ?? new Undefined(name)) : data;
    known.set(name, value);
    return value;
  };
  try {
    return execute(run, new Scope(new Scope(outermost)), template.statements, true);
  } catch (error) {
    if (error instanceof Fault) throw new TemplateError(run.line, error.name, error.message, { cause: error });
    // The stack was nearly full before, or numbers or texts reached the limits of JavaScript.
    if (error instanceof RangeError)
      throw new TemplateError(run.line, "depth", "the template needs more room than there is; nest less", { cause: error });
    throw error;
  }
}

const catalog: Catalog = {
  filter: (run, name, value, given) => {
    const filter = filters.get(name);
    if (filter === undefined) throw new Fault(name, `there is no filter ${name}; look at the list of filters`);
    return filter.apply(run, value, bind(name, filter, given), given);
  },
  test: (run, name, value, given) => {
    const test = tests.get(name);
    if (test === undefined) throw new Fault(name, `there is no test ${name}; look at the list of tests`);
    return test.apply(run, value, bind(name, test, given)[0] ?? null);
  },
};
