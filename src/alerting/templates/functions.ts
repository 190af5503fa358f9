import { bind, integerArgument } from "./arguments.ts";
import { dictOf, iterate } from "./compare.ts";
import { Fault } from "./error.ts";
import { numericOf } from "./number.ts";
import type { Run } from "./run.ts";
import { Dict, type Given, Helper, Namespace, Range, textOf, typeOf, type Value } from "./value.ts";

/** The global functions of templates. */
const functions: Readonly<Record<string, (run: Run, given: Given) => Value>> = {
  range: (run, given) => range(run, bind("range", { parameters: ["start", "stop", "step"], required: 1 }, unnamed("range", given))),
  dict: (run, given) => dictOf(run, pairsOf(run, "dict", given)),
  namespace: (run, given) => {
    const space = new Namespace();
    for (const [key, value] of pairsOf(run, "namespace", given)) space.values.set(textOf(key) ?? "", value);
    return space;
  },
  cycler: (_, given) => cycler(unnamed("cycler", given).positional),
  joiner: (_, given) => {
    const [between = ", "] = bind("joiner", { parameters: ["sep"] }, given);
    let used = false;
    return new Helper("joiner", () => {
      const text = used ? between : "";
      used = true;
      return text;
    });
  },
};

/** Names of all global functions. */
export const functionNames: ReadonlySet<string> = new Set(Object.keys(functions));

/** Returns the function of that name, or null. */
export function functionOf(run: Run, name: string): Helper | null {
  const make = Object.hasOwn(functions, name) ? functions[name] : undefined;
  return make === undefined ? null : new Helper(name, (given) => make(run, given));
}

function unnamed(name: string, given: Given): Given {
  if (given.named.size > 0) throw new Fault(name, `${name} takes its arguments by place only; leave the names out`);
  return given;
}

function range(run: Run, args: readonly (Value | undefined)[]): Range {
  for (const value of args)
    if (value !== undefined && typeof numericOf(value) !== "bigint")
      throw new Fault("range", `range needs integers, not ${typeOf(value)}; add |int`);
  const [first, second, third] = args.map((value, index) =>
    value === undefined ? undefined : integerArgument("range", `argument ${index + 1}`, value, 0),
  );
  const [start, stop, step] = second === undefined ? [0, first ?? 0, 1] : [first ?? 0, second, third ?? 1];
  if (step === 0) throw new Fault("range", "the step of range cannot be 0; write 1 or more, or -1 to go backwards");
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (count > 100_000) throw new Fault("range", `range would have ${count} numbers; at most 100000 are allowed`);
  run.spend(count);
  const text = `range(${start}, ${stop}${step === 1 ? "" : `, ${step}`})`;
  return new Range(
    Array.from({ length: count }, (_, index) => BigInt(start + index * step)),
    text,
  );
}

function pairsOf(run: Run, name: string, given: Given): readonly (readonly [Value, Value])[] {
  const [source, ...more] = given.positional;
  if (more.length > 0) throw new Fault(name, `${name} takes one dict and names with values; leave the others out`);
  const named = [...given.named];
  if (source === undefined) return named;
  if (source instanceof Dict) return [...source.entries.values(), ...named];
  const pairs = iterate(run, source).map((pair) => iterate(run, pair));
  if (pairs.some((pair) => pair.length !== 2)) throw new Fault(name, `${name} needs pairs of key and value`);
  return [...pairs.map(([key = null, value = null]) => [key, value] as const), ...named];
}

function cycler(items: readonly Value[]): Helper {
  if (items.length === 0) throw new Fault("cycler", "cycler needs at least one value; write cycler('a', 'b')");
  let at = 0;
  const current = () => items[at % items.length] as Value;
  const next = new Helper("next of cycler", () => {
    const value = current();
    at += 1;
    return value;
  });
  const reset = new Helper("reset of cycler", () => {
    at = 0;
    return null;
  });
  return new Helper(
    "cycler",
    null,
    new Map<string, () => Value>([
      ["current", current],
      ["next", () => next],
      ["reset", () => reset],
    ]),
  );
}
