import { misfit } from "./arguments.ts";
import type { CallArguments, Expression } from "./ast.ts";
import { TemplateError } from "./error.ts";
import { filters, filtersLeftOut } from "./filters/index.ts";
import { functionNames } from "./functions.ts";
import { methodNames } from "./methods.ts";
import type { Reader } from "./reader.ts";
import { tests } from "./tests.ts";

/** Names that Jinja2 defines and this language does not. */
const namesLeftOut: Readonly<Record<string, string>> = {
  lipsum: "write the text yourself",
  self: "templates have no blocks that could be named",
  super: "templates have no parents",
};

/** Refuses names that Jinja2 defines and this language does not. Throws `TemplateError`. */
export function checkName(name: string, line: number): void {
  const fix = Object.hasOwn(namesLeftOut, name) ? namesLeftOut[name] : undefined;
  if (fix !== undefined) throw new TemplateError(line, name, `${name} is not supported; ${fix}`);
  if (name.startsWith("__")) throw new TemplateError(line, name, `${name} is closed off; templates see plain data only`);
}

/** Refuses names that give access to the internals of Python and JavaScript objects. Throws `TemplateError`. */
export function checkMember(name: string, line: number): void {
  if (name.startsWith("__")) throw new TemplateError(line, name, `${name} is closed off; templates see plain data only`);
}

/**
 * Refuses calls of names that are no function, macro or method; other names are checked once the whole template has been read. Throws
 * `TemplateError`.
 */
export function checkCall(reader: Reader, callee: Expression, line: number): void {
  if (callee.kind === "name") reader.called.push({ name: callee.name, line });
  else if (callee.kind === "attribute" && !methodNames.has(callee.name) && !loopMethods.has(callee.name)) {
    throw new TemplateError(
      line,
      callee.name,
      `${callee.name}() is not a method that templates have; they are ${[...methodNames].sort().join(", ")}`,
    );
  }
}

const loopMethods = new Set(["cycle", "changed", "next", "reset"]);
const alwaysCallable = new Set([...functionNames, "loop", "caller"]);

/** Refuses calls of names that the template does not define. Throws `TemplateError`. */
export function checkCalled(reader: Reader): void {
  for (const { name, line } of reader.called) {
    if (alwaysCallable.has(name) || reader.assigned.has(name)) continue;
    throw new TemplateError(
      line,
      name,
      `${name}() is neither a macro of this template nor a function; the functions are ${[...functionNames].sort().join(", ")}`,
    );
  }
}

/** Returns the filter's name if it exists and its arguments fit. Throws `TemplateError`. */
export function checkFilter(name: string, args: CallArguments, line: number): string {
  const filter = filters.get(name);
  if (filter === undefined) {
    const fix = filtersLeftOut.get(name) ?? `the filters are ${[...filters.keys()].sort().join(", ")}`;
    throw new TemplateError(line, name, `there is no filter ${name}; ${fix}`);
  }
  const problem = misfit(
    name,
    filter,
    args.positional.length,
    args.named.map((each) => each.name),
  );
  if (problem !== null) throw new TemplateError(line, name, problem);
  checkInner(name, args, line);
  return name;
}

/** Checks the filters and tests that `map`, `select` and similar filters name in quotes. */
function checkInner(name: string, args: CallArguments, line: number): void {
  const place = name === "map" || name === "select" || name === "reject" ? 0 : name === "selectattr" || name === "rejectattr" ? 1 : null;
  const inner = place === null ? undefined : args.positional[place];
  if (inner?.kind !== "constant" || typeof inner.value !== "string") return;
  const rest = { positional: args.positional.slice((place ?? 0) + 1), named: args.named };
  if (name === "map") checkFilter(inner.value, rest, line);
  else checkTest(inner.value, rest, line);
}

/** Refuses unknown tests and tests with arguments that do not fit. Throws `TemplateError`. */
export function checkTest(name: string, args: CallArguments, line: number): void {
  const test = tests.get(name);
  if (test === undefined)
    throw new TemplateError(
      line,
      name,
      `there is no test ${name}; the tests are ${[...tests.keys()]
        .filter((each) => /\w/.test(each))
        .sort()
        .join(", ")}`,
    );
  const problem = misfit(
    name,
    test,
    args.positional.length,
    args.named.map((each) => each.name),
  );
  if (problem !== null) throw new TemplateError(line, name, problem);
}
