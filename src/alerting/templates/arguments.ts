import { Fault } from "./error.ts";
import { numericOf } from "./number.ts";
import type { Run } from "./run.ts";
import { type Given, isTrue, textOf, typeOf, type Value } from "./value.ts";

/**
 * Parameter names of a filter, test or function, in order; the first `required` of them are mandatory. `any`: the callee checks its own
 * arguments.
 */
export interface Signature {
  readonly parameters: readonly string[] | "any";
  readonly required?: number;
}

/** A method: its parameters, and its implementation with the object and the positional arguments. */
export interface Method<Of> extends Signature {
  readonly apply: (run: Run, self: Of, args: readonly (Value | undefined)[]) => Value;
}

/** Returns what is wrong with the number or the names of the arguments, or null. */
export function misfit(what: string, signature: Signature, positional: number, named: readonly string[]): string | null {
  const { parameters, required = 0 } = signature;
  if (parameters === "any") return null;
  const known = parameters.length === 0 ? "no arguments" : `(${parameters.join(", ")})`;
  if (positional > parameters.length) return `${what} takes ${known}, but ${positional} were given`;
  for (const [index, name] of named.entries()) {
    const place = parameters.indexOf(name);
    if (place === -1) return `${what} has no argument ${name}; it takes ${known}`;
    if (place < positional || named.indexOf(name) !== index) return `${what} is given ${name} twice; give it once`;
  }
  const lacking = parameters.slice(positional, required).find((name) => !named.includes(name));
  return lacking === undefined ? null : `${what} needs the argument ${lacking}; it takes ${known}`;
}

/** Returns the arguments by position, `undefined` for omitted ones. Throws `Fault` if they do not fit. */
export function bind(what: string, signature: Signature, given: Given): readonly (Value | undefined)[] {
  const problem = misfit(what, signature, given.positional.length, [...given.named.keys()]);
  if (problem !== null) throw new Fault(what, problem);
  if (signature.parameters === "any") return given.positional;
  return signature.parameters.map((name, index) => (index < given.positional.length ? given.positional[index] : given.named.get(name)));
}

/** Returns an argument that must be an integer of at most a million. Throws `Fault`. */
export function integerArgument(what: string, name: string, value: Value | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  const number = numericOf(value);
  if (typeof number !== "bigint")
    throw new Fault(what, `${name} of ${what} must be an integer, not ${typeOf(value)}; write a whole number`);
  if (number > 1_000_000n || number < -1_000_000n) throw new Fault(what, `${name} of ${what} is too large; write at most 1000000`);
  return Number(number);
}

/** Returns an argument that must be text. Throws `Fault`. */
export function textArgument(what: string, name: string, value: Value | undefined, fallback: string): string {
  if (value === undefined) return fallback;
  const text = textOf(value);
  if (text === null) throw new Fault(what, `${name} of ${what} must be a text, not ${typeOf(value)}; write it in quotes`);
  return text;
}

/** Returns an argument as a boolean. */
export function truthArgument(value: Value | undefined, fallback: boolean): boolean {
  return value === undefined ? fallback : isTrue(value);
}
