import type { MacroDefinition, Statement, Target } from "./ast.ts";
import { dictOf, iterate } from "./compare.ts";
import { Fault } from "./error.ts";
import { argumentsOf, call, evaluate } from "./evaluate.ts";
import { loopOf } from "./loop.ts";
import { show } from "./print.ts";
import type { Run } from "./run.ts";
import { Scope } from "./scope.ts";
import { type Given, Helper, isTrue, Namespace, Tuple, typeOf, Undefined, type Value } from "./value.ts";

/** Executes statements and returns their output. Nested blocks are limited like texts, the template like output. Throws `Fault`. */
export function execute(run: Run, scope: Scope, statements: readonly Statement[], outermost = false): string {
  run.enter();
  let output = "";
  for (const statement of statements) {
    run.spend(1);
    run.line = statement.line;
    const printed = perform(run, scope, statement);
    if (printed === "") continue;
    output += printed;
    if (outermost) run.output(output.length);
    else run.room(printed.length);
    if (output.length > 262_144) run.room(output.length);
  }
  run.depth -= 1;
  return output;
}

function perform(run: Run, scope: Scope, statement: Statement): string {
  switch (statement.kind) {
    case "text":
      return statement.text;
    case "print":
      return show(run, evaluate(run, scope, statement.value));
    case "if": {
      const branch = statement.branches.find(({ condition }) => isTrue(evaluate(run, scope, condition)));
      return execute(run, scope, branch === undefined ? statement.otherwise : branch.body);
    }
    case "for":
      return loop(run, scope, statement, evaluate(run, scope, statement.iterable), 1);
    case "set":
      assign(run, scope, statement.target, evaluate(run, scope, statement.value));
      return "";
    case "setBlock":
      assign(run, scope, statement.target, evaluate(run, scope, statement.value, execute(run, new Scope(scope), statement.body)));
      return "";
    case "with": {
      const inner = new Scope(scope);
      const values = statement.bindings.map(({ value }) => evaluate(run, scope, value));
      for (const [index, { target }] of statement.bindings.entries()) assign(run, inner, target, values[index] as Value);
      return execute(run, inner, statement.body);
    }
    case "macro":
      scope.set(statement.macro.name, macroOf(run, scope, statement.macro));
      return "";
    case "callBlock": {
      const callee = evaluate(run, scope, statement.call.callee);
      const given = argumentsOf(run, scope, statement.call.args);
      const named = new Map(given.named).set("caller", macroOf(run, scope, statement.caller));
      return show(run, call(run, callee, { positional: given.positional, named }, statement.line));
    }
    case "filterBlock":
      return show(run, evaluate(run, scope, statement.value, execute(run, new Scope(scope), statement.body)));
  }
}

function loop(run: Run, scope: Scope, statement: Extract<Statement, { kind: "for" }>, iterable: Value, depth: number): string {
  const { target, condition, body } = statement;
  const all = iterate(run, iterable);
  const items = condition === null ? all : all.filter((item) => isTrue(evaluate(run, withItem(item), condition)));
  if (items.length === 0) return execute(run, new Scope(scope), statement.otherwise);
  const state = loopOf(run, items, depth, statement.recursive ? (inner) => loop(run, scope, statement, inner, depth + 1) : null);
  let output = "";
  for (const [index, item] of items.entries()) {
    state.index = index;
    const inner = withItem(item);
    inner.set("loop", state.helper);
    output += execute(run, inner, body);
    run.room(output.length > 262_144 ? output.length : 0);
  }
  return output;

  function withItem(item: Value): Scope {
    const inner = new Scope(scope);
    assign(run, inner, target, item);
    return inner;
  }
}

function assign(run: Run, scope: Scope, target: Target, value: Value): void {
  run.line = target.line;
  if (target.kind === "name") {
    scope.set(target.name, value);
    return;
  }
  if (target.kind === "member") {
    const space = scope.get(target.object);
    if (!(space instanceof Namespace))
      throw new Fault(target.object, `${target.object} is no namespace; start with {% set ${target.object} = namespace() %}`);
    space.values.set(target.name, value);
    return;
  }
  const items = iterate(run, value);
  if (items.length !== target.items.length) {
    throw new Fault(
      "unpacking",
      `${target.items.length} names cannot take ${items.length} values of ${typeOf(value)}; give as many names as values`,
    );
  }
  for (const [index, each] of target.items.entries()) assign(run, scope, each, items[index] as Value);
}

/** Returns a macro as a callable that sees the names around its definition. */
function macroOf(run: Run, scope: Scope, macro: MacroDefinition): Helper {
  return new Helper(`the macro ${macro.name}`, (given) => {
    const inner = new Scope(scope);
    bindParameters(run, inner, macro, given);
    return execute(run, inner, macro.body);
  });
}

function bindParameters(run: Run, scope: Scope, macro: MacroDefinition, given: Given): void {
  const { parameters, takes } = macro;
  const named = new Map(given.named);
  const places = given.positional.slice(0, parameters.length);
  const extra = given.positional.slice(parameters.length);
  if (extra.length > 0 && !takes.varargs)
    throw new Fault(macro.name, `the macro ${macro.name} takes ${parameters.length} arguments, but ${given.positional.length} were given`);
  for (const [index, { name, fallback }] of parameters.entries()) {
    const value = index < places.length ? places[index] : named.get(name);
    if (index >= places.length) named.delete(name);
    scope.set(
      name,
      value ??
        (value === null
          ? null
          : fallback === null
            ? new Undefined(`parameter ${name} of the macro ${macro.name}`)
            : evaluate(run, scope, fallback)),
    );
  }
  if (takes.caller) scope.set("caller", named.get("caller") ?? new Undefined("caller"));
  if (takes.caller) named.delete("caller");
  const [unknown] = named.keys();
  if (unknown !== undefined && !takes.kwargs)
    throw new Fault(
      macro.name,
      `the macro ${macro.name} has no argument ${unknown}${unknown === "caller" ? "; only macros that use caller() can be called by a call block" : ""}`,
    );
  if (takes.varargs) scope.set("varargs", new Tuple(extra));
  if (takes.kwargs) scope.set("kwargs", dictOf(run, named));
}
