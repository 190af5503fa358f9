import { integerArgument, textArgument, truthArgument } from "../arguments.ts";
import { calculate } from "../arithmetic.ts";
import { iterate } from "../compare.ts";
import { Fault, missing } from "../error.ts";
import { bareAttribute } from "../lookup.ts";
import { fixed, numericOf, rounded, truncated } from "../number.ts";
import type { Run } from "../run.ts";
import { strip } from "../text.ts";
import { type Given, isTrue, Stream, textOf, typeOf, Undefined, type Value } from "../value.ts";
import { attributeReader, type Filter } from "./filter.ts";
import { toJson } from "./json.ts";

/** Filters for numbers and single values, and filters that apply others to each item. */
export const valueFilters: Readonly<Record<string, Filter>> = {
  default: {
    parameters: ["default_value", "boolean"],
    apply: (_, value, [fallback = "", boolean]) =>
      value instanceof Undefined || (truthArgument(boolean, false) && !isTrue(value)) ? fallback : value,
  },
  abs: {
    parameters: [],
    apply: (_, value) => {
      const number = needNumber("abs", value);
      return number < 0 || Object.is(number, -0) ? -number : number;
    },
  },
  round: {
    parameters: ["precision", "method"],
    apply: (run, value, [precision, method]) => {
      const number = needNumber("round", value);
      const digits = integerArgument("round", "precision", precision, 0);
      const how = textArgument("round", "method", method, "common");
      if (how === "common") return rounded(number, digits);
      if (how !== "ceil" && how !== "floor")
        throw new Fault("round", "the method of round is 'common', 'ceil' or 'floor'; write one of them");
      const factor = calculate(run, "**", 10n, BigInt(digits));
      const shifted = calculate(run, "*", number, factor);
      const whole =
        typeof shifted === "bigint" ? shifted : truncated(how === "ceil" ? Math.ceil(shifted as number) : Math.floor(shifted as number));
      return calculate(run, "/", whole, factor);
    },
  },
  int: {
    parameters: ["default", "base"],
    apply: (_, value, [fallback = 0n, base]) => {
      if (value instanceof Undefined) throw missing(value);
      if (integerArgument("int", "base", base, 10) !== 10)
        throw new Fault("int", "int with another base than 10 is not supported; leave base out");
      const number = numericOf(value);
      if (number !== null) return Number.isFinite(Number(number)) || typeof number === "bigint" ? truncated(number) : fallback;
      const text = textOf(value);
      if (text === null) return fallback;
      const plain = withPlainDigits(strip(text));
      if (/^[+-]?\d+(_\d+)*$/.test(plain) && plain.length <= 300) return BigInt(plain.replaceAll("_", "").replace("+", ""));
      const float = floatOf(plain);
      return float === null || !Number.isFinite(float) ? fallback : truncated(float);
    },
  },
  float: {
    parameters: ["default"],
    apply: (_, value, [fallback = 0]) => {
      if (value instanceof Undefined) throw missing(value);
      const number = numericOf(value);
      if (number !== null) return Number(number);
      const text = textOf(value);
      return (text === null ? null : floatOf(withPlainDigits(strip(text)))) ?? fallback;
    },
  },
  filesizeformat: { parameters: ["binary"], apply: (_, value, [binary]) => fileSize(value, truthArgument(binary, false)) },
  attr: {
    parameters: ["name"],
    required: 1,
    apply: (run, value, [name]) => bareAttribute(run, value, textArgument("attr", "name", name, "")),
  },
  tojson: {
    parameters: ["indent"],
    apply: (run, value, [indent]) =>
      toJson(run, value, indent === undefined || indent === null ? null : integerArgument("tojson", "indent", indent, 0)),
  },
  map: {
    parameters: "any",
    apply: (run, value, _, given) => {
      if (!isTrue(value)) return new Stream("map", []);
      const change = mapper(run, given);
      return new Stream("map", iterate(run, value).map(change));
    },
  },
  select: { parameters: "any", apply: (run, value, _, given) => chosen(run, "select", value, given, true) },
  reject: { parameters: "any", apply: (run, value, _, given) => chosen(run, "reject", value, given, false) },
  selectattr: { parameters: "any", apply: (run, value, _, given) => chosen(run, "selectattr", value, given, true) },
  rejectattr: { parameters: "any", apply: (run, value, _, given) => chosen(run, "rejectattr", value, given, false) },
};

function needNumber(filter: string, value: Value): bigint | number {
  if (value instanceof Undefined) throw missing(value);
  const number = numericOf(value);
  if (number === null) throw new Fault(filter, `${filter} needs a number, not ${typeOf(value)}; add |int or |float before it`);
  return number;
}

/** Replaces the decimal digits of all scripts with 0 to 9. In Unicode the ten digits of a script are consecutive. */
function withPlainDigits(text: string): string {
  const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code));
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let first = code;
    while (isDigit(first - 1)) first -= 1;
    return String((code - first) % 10);
  });
}

/** Parses a text like Python's `float()`; null if it is not a number. */
function floatOf(text: string): number | null {
  if (/^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)([eE][+-]?\d+(_\d+)*)?$/.test(text) && text.length <= 400)
    return Number(text.replaceAll("_", ""));
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (word === null) return null;
  return /nan/i.test(text) ? Number.NaN : word[1] === "-" ? -Infinity : Infinity;
}

function fileSize(value: Value, binary: boolean): string {
  if (value instanceof Undefined) throw missing(value);
  const number = numericOf(value) ?? floatOf(withPlainDigits(strip(textOf(value) ?? "")));
  const bytes = Number(number ?? Number.NaN);
  if (!Number.isFinite(bytes)) throw new Fault("filesizeformat", "filesizeformat needs a number of bytes; add |int before it");
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${BigInt(Math.trunc(bytes))} Bytes`;
  const prefixes = ["k", "M", "G", "T", "P", "E", "Z", "Y"];
  const index = prefixes.findIndex((_, power) => bytes < Number(BigInt(base) ** BigInt(power + 2)));
  const power = index === -1 ? prefixes.length - 1 : index;
  const amount = fixed((base * bytes) / Number(BigInt(base) ** BigInt(power + 2)), 1);
  return `${amount} ${binary ? `${prefixes[power]?.toUpperCase()}i` : prefixes[power]}B`;
}

function mapper(run: Run, given: Given): (item: Value) => Value {
  const [name, ...rest] = given.positional;
  if (name === undefined) {
    const extra = [...given.named.keys()].find((each) => each !== "attribute" && each !== "default");
    if (extra !== undefined || !given.named.has("attribute")) throw new Fault("map", "map needs the name of a filter, or attribute='name'");
    return attributeReader(run, "map", given.named.get("attribute"), given.named.get("default"));
  }
  const filter = textArgument("map", "the filter", name, "");
  return (item) => run.catalog.filter(run, filter, item, { positional: rest, named: given.named });
}

function chosen(run: Run, filter: string, value: Value, given: Given, wanted: boolean): Stream {
  if (!isTrue(value)) return new Stream(filter, []);
  const byAttribute = filter.endsWith("attr");
  if (byAttribute && given.positional.length === 0)
    throw new Fault(filter, `${filter} needs the name of an attribute; write ${filter}('name')`);
  const read = attributeReader(run, filter, byAttribute ? given.positional[0] : undefined);
  const [name, ...rest] = given.positional.slice(byAttribute ? 1 : 0);
  const passes =
    name === undefined
      ? isTrue
      : (item: Value) => run.catalog.test(run, textArgument(filter, "the test", name, ""), item, { positional: rest, named: given.named });
  return new Stream(
    filter,
    iterate(run, value).filter((item) => passes(read(item)) === wanted),
  );
}
