import { Fault } from "./error.ts";
import { numericOf } from "./number.ts";
import type { Run } from "./run.ts";
import { type Given, isTrue, textOf, typeOf, type Value } from "./value.ts";

/** The names of the parameters that a filter, test or function takes, in order; the first `required` must be given. `any`: it looks at them itself. */
export interface Signature {
  readonly parameters: readonly string[] | "any";
  readonly required?: number;
}

/** A method: its parameters, and what it does with the object and the arguments by place. */
export interface Method<Of> extends Signature {
  readonly apply: (run: Run, self: Of, args: readonly (Value | undefined)[]) => Value;
}

/** Says what is wrong with the number and the names of arguments, or null. */
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

/** Arguments by place, `undefined` where none was given. Throws `Fault` when they do not fit. */
export function bind(what: string, signature: Signature, given: Given): readonly (Value | undefined)[] {
  const problem = misfit(what, signature, given.positional.length, [...given.named.keys()]);
  if (problem !== null) throw new Fault(what, problem);
  if (signature.parameters === "any") return given.positional;
  return signature.parameters.map((name, index) => (index < given.positional.length ? given.positional[index] : given.named.get(name)));
}

/** An argument that must be an integer of at most a million. Throws `Fault`. */
export function integerArgument(what: string, name: string, value: Value | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  const number = numericOf(value);
  if (typeof number !== "bigint")
    throw new Fault(what, `${name} of ${what} must be an integer, not ${typeOf(value)}; write a whole number`);
  if (number > 1_000_000n || number < -1_000_000n) throw new Fault(what, `${name} of ${what} is too large; write at most 1000000`);
  return Number(number);
}

/** An argument that must be a text. Throws `Fault`. */
export function textArgument(what: string, name: string, value: Value | undefined, fallback: string): string {
  if (value === undefined) return fallback;
  const text = textOf(value);
  if (text === null) throw new Fault(what, `${name} of ${what} must be a text, not ${typeOf(value)}; write it in quotes`);
  return text;
}

/** An argument that is a yes or no. */
export function truthArgument(value: Value | undefined, fallback: boolean): boolean {
  return value === undefined ? fallback : isTrue(value);
}
