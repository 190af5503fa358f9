import type { BinaryOperator } from "./ast.ts";
import { Fault, missing } from "./error.ts";
import { bounded, compareNumbers, type Numeric, numericOf, trueQuotient } from "./number.ts";
import { formatPercent } from "./percent.ts";
import { show } from "./print.ts";
import type { Run } from "./run.ts";
import { escapeText } from "./text.ts";
import { List, Markup, Tuple, textOf, typeOf, Undefined, type Value } from "./value.ts";

/** Applies a binary operator as Python does. Throws `Fault` for incompatible types, division by zero and results that are too large. */
export function calculate(run: Run, operator: BinaryOperator, left: Value, right: Value): Value {
  for (const side of [left, right]) if (side instanceof Undefined && !(operator === "%" && textOf(left) !== null)) throw missing(side);
  const [a, b] = [numericOf(left), numericOf(right)];
  if (a !== null && b !== null) return ofNumbers(operator, a, b);
  if (operator === "+") return joined(run, left, right);
  if (operator === "*" && (a !== null || b !== null)) return repeated(run, a === null ? left : right, (a ?? b) as Numeric);
  if (operator === "%" && typeof left === "string") return formatPercent(run, left, right);
  throw unfit(operator, left, right);
}

/** Applies a sign. Throws `Fault` for a value that is not a number. */
export function signed(sign: "-" | "+", value: Value): Value {
  const number = numericOf(value);
  if (value instanceof Undefined) throw missing(value);
  if (number === null) throw new Fault(sign, `${sign} does not go with ${typeOf(value)}; use it with numbers`);
  return sign === "-" ? -number : number;
}

function unfit(operator: string, left: Value, right: Value): Fault {
  return new Fault(
    operator,
    `${operator} does not go with ${typeOf(left)} and ${typeOf(right)}; ~ joins texts, |int and |float make numbers`,
  );
}

function joined(run: Run, left: Value, right: Value): Value {
  const [a, b] = [textOf(left), textOf(right)];
  if (a !== null && b !== null) {
    if (!(left instanceof Markup) && !(right instanceof Markup)) return run.made(a + b);
    return new Markup(run.made((left instanceof Markup ? a : escapeText(a)) + (right instanceof Markup ? b : escapeText(b))));
  }
  if ((left instanceof List && right instanceof List) || (left instanceof Tuple && right instanceof Tuple)) {
    run.spend(left.items.length + right.items.length);
    const items = [...left.items, ...right.items];
    return left instanceof List ? new List(items) : new Tuple(items);
  }
  throw unfit("+", left, right);
}

function repeated(run: Run, value: Value, times: Numeric): Value {
  if (typeof times !== "bigint") throw unfit("*", value, times);
  const count = times < 0n ? 0 : times > 1_000_000n ? 1_000_000 : Number(times);
  const text = textOf(value);
  if (text !== null) {
    run.room(text.length * count);
    return value instanceof Markup ? new Markup(text.repeat(count)) : text.repeat(count);
  }
  if (!(value instanceof List) && !(value instanceof Tuple)) throw unfit("*", value, times);
  run.spend(value.items.length * count);
  const items = Array.from({ length: value.items.length === 0 ? 0 : count }, () => value.items).flat();
  return value instanceof List ? new List(items) : new Tuple(items);
}

function ofNumbers(operator: BinaryOperator, a: Numeric, b: Numeric): Value {
  if (operator === "**") return power(a, b);
  if ("/%".includes(operator[0] as string) && compareNumbers(b, 0n) === 0) {
    throw new Fault(operator, `${operator} by zero; test the number first`);
  }
  if (typeof a === "bigint" && typeof b === "bigint") return bothInt(operator, a, b);
  return bothFloat(operator, floatOf(a), floatOf(b));
}

function bothInt(operator: BinaryOperator, a: bigint, b: bigint): Numeric {
  if (operator === "+") return bounded(a + b);
  if (operator === "-") return bounded(a - b);
  if (operator === "*") return bounded(a * b);
  if (operator === "/") return trueQuotient(a, b);
  const rest = a % b;
  const other = rest !== 0n && rest < 0n !== b < 0n;
  if (operator === "//") return a / b - (other ? 1n : 0n);
  return other ? rest + b : rest;
}

function bothFloat(operator: BinaryOperator, a: number, b: number): number {
  if (operator === "+") return a + b;
  if (operator === "-") return a - b;
  if (operator === "*") return a * b;
  if (operator === "/") return a / b;
  let rest = a % b;
  let quotient = (a - rest) / b;
  if (rest === 0) rest = b < 0 ? -0 : 0;
  else if (rest < 0 !== b < 0) {
    rest += b;
    quotient -= 1;
  }
  if (operator === "%") return rest;
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function power(base: Numeric, exponent: Numeric): Numeric {
  if (typeof base === "bigint" && typeof exponent === "bigint" && exponent >= 0n) {
    const bits = BigInt(base.toString(2).length) * exponent;
    if (bits > 2048n && base !== 0n && base !== 1n && base !== -1n)
      throw new Fault("**", "** makes a number of more than 300 digits; use smaller ones");
    return bounded(bits > 2048n ? (exponent % 2n === 0n ? base * base : base) : base ** exponent);
  }
  const [a, b] = [floatOf(base), floatOf(exponent)];
  if (a === 0 && b < 0) throw new Fault("**", "** of zero by a negative number; test the number first");
  // In Python, 1 to the power of anything is 1.
  const result = a === 1 || (a === -1 && !Number.isFinite(b) && !Number.isNaN(b)) ? 1 : a ** b;
  if (Number.isNaN(result) && !Number.isNaN(a) && !Number.isNaN(b))
    throw new Fault("**", "** of a negative number by a fraction is no real number");
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b))
    throw new Fault("**", "** makes a number that is too large; use smaller ones");
  return result;
}

function floatOf(value: Numeric): number {
  const result = Number(value);
  if (typeof value === "bigint" && !Number.isFinite(result))
    throw new Fault("number", "the integer is too large for a float; use smaller ones");
  return result;
}

/** Concatenates the printed values, as `~` and blocks do. */
export function concatenated(run: Run, values: readonly Value[]): string {
  let text = "";
  for (const value of values) {
    text += show(run, value);
    run.room(text.length);
  }
  return text;
}
