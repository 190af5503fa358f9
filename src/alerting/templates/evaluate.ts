import { calculate, concatenated, signed } from "./arithmetic.ts";
import type { CallArguments, CompareOperator, Expression } from "./ast.ts";
import { contains, dictOf, equal, order } from "./compare.ts";
import { Fault, missing } from "./error.ts";
import { attributeOf, itemOf, sliceOf } from "./lookup.ts";
import type { Run } from "./run.ts";
import type { Scope } from "./scope.ts";
import { type Given, Helper, isTrue, List, Tuple, typeOf, Undefined, type Value } from "./value.ts";

/** Evaluates an expression. `body` is the text of the surrounding block, for block sets and filter blocks. Throws `Fault`. */
export function evaluate(run: Run, scope: Scope, node: Expression, body: Value = null): Value {
  run.enter();
  run.line = node.line;
  const value = resultOf(run, scope, node, body);
  run.depth -= 1;
  return value;
}

function resultOf(run: Run, scope: Scope, node: Expression, body: Value): Value {
  const of = (inner: Expression) => evaluate(run, scope, inner, body);
  switch (node.kind) {
    case "constant":
      return node.value;
    case "name":
      return scope.get(node.name);
    case "body":
      return body;
    case "list":
      return new List(node.items.map(of));
    case "tuple":
      return new Tuple(node.items.map(of));
    case "dict":
      return dictOf(
        run,
        node.pairs.map(({ key, value }) => [of(key), of(value)] as const),
      );
    case "concat":
      return concatenated(run, node.items.map(of));
    case "unary": {
      const operand = of(node.operand);
      return node.operator === "not" ? !isTrue(operand) : signed(node.operator, operand);
    }
    case "binary":
      return calculate(run, node.operator, of(node.left), of(node.right));
    case "and": {
      const left = of(node.left);
      return isTrue(left) ? of(node.right) : left;
    }
    case "or": {
      const left = of(node.left);
      return isTrue(left) ? left : of(node.right);
    }
    case "compare": {
      let left = of(node.first);
      for (const { operator, value } of node.rest) {
        const right = of(value);
        if (!compare(run, operator, left, right)) return false;
        left = right;
      }
      return true;
    }
    case "choice":
      if (isTrue(of(node.condition))) return of(node.chosen);
      return node.otherwise === null ? new Undefined("the inline if without else") : of(node.otherwise);
    case "attribute":
      return attributeOf(run, of(node.object), node.name);
    case "item":
      return itemOf(run, of(node.object), of(node.key));
    case "slice": {
      const [start, stop, step] = [node.start, node.stop, node.step].map((bound) => (bound === null ? null : of(bound)));
      return sliceOf(run, of(node.object), start ?? null, stop ?? null, step ?? null);
    }
    case "call":
      return call(run, of(node.callee), argumentsOf(run, scope, node.args, body), node.line);
    case "filter": {
      const operand = of(node.operand);
      const given = argumentsOf(run, scope, node.args, body);
      run.line = node.line;
      return run.catalog.filter(run, node.name, operand, given);
    }
    case "test": {
      const operand = of(node.operand);
      const given = argumentsOf(run, scope, node.args, body);
      run.line = node.line;
      return run.catalog.test(run, node.name, operand, given);
    }
  }
}

/** Evaluates positional and named arguments from left to right. */
export function argumentsOf(run: Run, scope: Scope, args: CallArguments, body: Value = null): Given {
  const positional = args.positional.map((each) => evaluate(run, scope, each, body));
  return { positional, named: new Map(args.named.map(({ name, value }) => [name, evaluate(run, scope, value, body)])) };
}

/** Calls a callable value. Throws `Fault` for any other value. */
export function call(run: Run, callee: Value, given: Given, line: number): Value {
  run.line = line;
  if (callee instanceof Undefined) throw missing(callee);
  if (!(callee instanceof Helper) || callee.call === null)
    throw new Fault(typeOf(callee), `${typeOf(callee)} cannot be called; leave the () out`);
  run.enter();
  const value = callee.call(given);
  run.depth -= 1;
  return value;
}

function compare(run: Run, operator: CompareOperator, left: Value, right: Value): boolean {
  switch (operator) {
    case "==":
      return equal(run, left, right);
    case "!=":
      return !equal(run, left, right);
    case "in":
      return contains(run, right, left);
    case "not in":
      return !contains(run, right, left);
    case "<":
      return order(run, left, right) < 0;
    case "<=":
      return order(run, left, right) <= 0;
    case ">":
      return order(run, left, right) > 0;
    case ">=":
      return order(run, left, right) >= 0;
  }
}
