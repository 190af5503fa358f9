import type { CallArguments, Expression, MacroDefinition, Statement, Target } from "./ast.ts";
import { functionNames } from "./functions.ts";
import { methodNames } from "./methods.ts";
import type { Template } from "./template.ts";

/** A name that a template reads from its values, such as `["data", "summary"]`, and whether it copes with a missing value. */
export interface ReadName {
  readonly path: readonly string[];
  readonly line: number;
  /** It is tested, or has a default. */
  readonly guarded: boolean;
}

/** Names that a template has without being given them. */
const ownNames: ReadonlySet<string> = new Set([...functionNames, "loop", "caller", "varargs", "kwargs"]);
/** Filters that replace a missing value. */
const defaultFilters: ReadonlySet<string> = new Set(["default", "d"]);

/**
 * Lists the values that a template reads, in all its branches, except names that it assigns itself. A path ends where its last part is
 * no constant, or a method.
 */
export function namesRead(template: Template): readonly ReadName[] {
  const reader = new NameReader();
  reader.block(template.statements);
  return reader.read.filter(({ path: [first = ""] }) => !reader.assigned.has(first) && !ownNames.has(first));
}

class NameReader {
  readonly read: ReadName[] = [];
  readonly assigned = new Set<string>();

  block(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: Statement): void {
    switch (statement.kind) {
      case "text":
        break;
      case "print":
        this.#value(statement.value);
        break;
      case "if":
        for (const { condition, body } of statement.branches) {
          this.#value(condition, true);
          this.block(body);
        }
        this.block(statement.otherwise);
        break;
      case "for":
        this.#assign(statement.target);
        this.#value(statement.iterable);
        if (statement.condition) this.#value(statement.condition, true);
        this.block(statement.body);
        this.block(statement.otherwise);
        break;
      case "set":
        this.#assign(statement.target);
        this.#value(statement.value);
        break;
      case "setBlock":
        this.#assign(statement.target);
        this.#value(statement.value);
        this.block(statement.body);
        break;
      case "with":
        for (const { target, value } of statement.bindings) {
          this.#assign(target);
          this.#value(value);
        }
        this.block(statement.body);
        break;
      case "macro":
        this.assigned.add(statement.macro.name);
        this.#macro(statement.macro);
        break;
      case "callBlock":
        this.#value(statement.call);
        this.#macro(statement.caller);
        break;
      case "filterBlock":
        this.#value(statement.value);
        this.block(statement.body);
        break;
    }
  }

  #macro({ parameters, body }: MacroDefinition): void {
    for (const { name, fallback } of parameters) {
      this.assigned.add(name);
      if (fallback) this.#value(fallback);
    }
    this.block(body);
  }

  #assign(target: Target): void {
    if (target.kind === "name") this.assigned.add(target.name);
    if (target.kind === "tuple") for (const item of target.items) this.#assign(item);
  }

  /** `guarded`: a missing value of this expression does no harm. */
  #value(node: Expression, guarded = false): void {
    const path = pathOf(node);
    if (path) {
      this.read.push({ path, line: node.line, guarded });
      return;
    }
    switch (node.kind) {
      case "and":
      case "or":
        this.#value(node.left, true);
        this.#value(node.right, guarded);
        break;
      case "unary":
        this.#value(node.operand, node.operator === "not");
        break;
      case "choice":
        this.#value(node.condition, true);
        this.#value(node.chosen, guarded);
        if (node.otherwise) this.#value(node.otherwise, guarded);
        break;
      case "filter":
        this.#value(node.operand, defaultFilters.has(node.name));
        this.#arguments(node.args);
        break;
      case "test":
        this.#value(node.operand, true);
        this.#arguments(node.args);
        break;
      case "call":
        this.#value(node.callee);
        this.#arguments(node.args);
        break;
      default:
        for (const part of partsOf(node)) this.#value(part);
    }
  }

  #arguments({ positional, named }: CallArguments): void {
    // A missing default prints as empty as a missing value
    for (const value of [...positional, ...named.map((each) => each.value)]) this.#value(value);
  }
}

/** Returns the parts of an expression that hold no guard for one another. */
function partsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "list":
    case "tuple":
    case "concat":
      return node.items;
    case "dict":
      return node.pairs.flatMap(({ key, value }) => [key, value]);
    case "binary":
      return [node.left, node.right];
    case "compare":
      return [node.first, ...node.rest.map(({ value }) => value)];
    case "attribute":
      return [node.object];
    case "item":
      return [node.object, node.key];
    case "slice":
      return [node.object, node.start, node.stop, node.step].filter((part) => part !== null);
    default:
      return [];
  }
}

/** Returns the constant path of `a`, `a.b` and `a['b']`; undefined for other expressions, and for methods. */
function pathOf(node: Expression): readonly string[] | undefined {
  if (node.kind === "name") return [node.name];
  if (node.kind !== "attribute" && node.kind !== "item") return undefined;
  const key = node.kind === "attribute" ? node.name : node.key.kind === "constant" ? node.key.value : undefined;
  if (typeof key !== "string" || (node.kind === "attribute" && methodNames.has(key))) return undefined;
  const object = pathOf(node.object);
  return object && [...object, key];
}
