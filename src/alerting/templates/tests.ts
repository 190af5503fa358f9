import type { Signature } from "./arguments.ts";
import { calculate } from "./arithmetic.ts";
import { contains, equal, isIterable, order } from "./compare.ts";
import { Fault, missing } from "./error.ts";
import { filters } from "./filters/index.ts";
import { numericOf } from "./number.ts";
import { show } from "./print.ts";
import type { Run } from "./run.ts";
import { isLower, isUpper } from "./text-methods.ts";
import { Dict, Helper, List, Markup, Range, Tuple, textOf, typeOf, Undefined, type Value } from "./value.ts";

/** A test after `is`. */
export interface Test extends Signature {
  readonly apply: (run: Run, value: Value, other: Value) => boolean;
}

const plain: Readonly<Record<string, (value: Value, run: Run) => boolean>> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  true: (value) => value === true,
  false: (value) => value === false,
  integer: (value) => typeof value === "bigint",
  float: (value) => typeof value === "number",
  number: (value) => numericOf(value) !== null,
  string: (value) => textOf(value) !== null,
  mapping: (value) => value instanceof Dict,
  iterable: isIterable,
  sequence: (value) => textOf(value) !== null || [List, Tuple, Dict, Range, Undefined].some((type) => value instanceof type),
  callable: (value) => value instanceof Helper || value instanceof Undefined,
  escaped: (value) => value instanceof Markup,
  lower: (value, run) => isLower(show(run, value)),
  upper: (value, run) => isUpper(show(run, value)),
  odd: (value, run) => isRest(run, value, 2n, 1n),
  even: (value, run) => isRest(run, value, 2n, 0n),
  filter: (value) => filters.has(name("filter", value)),
  test: (value) => tests.has(name("test", value)),
};

const paired: Readonly<Record<string, (run: Run, value: Value, other: Value) => boolean>> = {
  divisibleby: (run, value, other) => isRest(run, value, other, 0n),
  eq: equal,
  ne: (run, value, other) => !equal(run, value, other),
  lt: (run, value, other) => order(run, value, other) < 0,
  le: (run, value, other) => order(run, value, other) <= 0,
  gt: (run, value, other) => order(run, value, other) > 0,
  ge: (run, value, other) => order(run, value, other) >= 0,
  in: (run, value, other) => contains(run, other, value),
  sameas: (_, value, other) => {
    const copied = [value, other].every((each) => typeof each === "bigint" || typeof each === "number" || textOf(each) !== null);
    if (copied) throw new Fault("sameas", "sameas is for true, false, none and things; use == for numbers and texts");
    return value === other;
  },
};
const aliases: Readonly<Record<string, string>> = {
  equalto: "eq",
  lessthan: "lt",
  greaterthan: "gt",
  "==": "eq",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
};

/** All tests by name. */
export const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ...Object.entries(plain).map(([key, ask]) => [key, { parameters: [], apply: (run: Run, value: Value) => ask(value, run) }] as const),
  ...Object.entries(paired).map(([key, apply]) => [key, pair(apply)] as const),
  ...Object.entries(aliases).map(([alias, key]) => [alias, pair(paired[key] as Test["apply"])] as const),
]);

function pair(apply: Test["apply"]): Test {
  return { parameters: ["other"], required: 1, apply };
}

function isRest(run: Run, value: Value, by: Value, rest: bigint): boolean {
  for (const side of [value, by]) if (side instanceof Undefined) throw missing(side);
  if (numericOf(value) === null || numericOf(by) === null)
    throw new Fault(typeOf(value), `this test needs numbers, not ${typeOf(value)}; add |int before it`);
  return equal(run, calculate(run, "%", value, by), rest);
}

function name(test: string, value: Value): string {
  const text = textOf(value);
  if (text === null) throw new Fault(test, `${test} needs a name in quotes, not ${typeOf(value)}`);
  return text;
}
