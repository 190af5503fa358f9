import { Fault } from "./error.ts";
import { floatText } from "./number.ts";
import type { Run } from "./run.ts";
import { Dict, List, Markup, Range, Tuple, typeOf, Undefined, type Value, View } from "./value.ts";

/** Prints a value like Python's `str`. Throws `Fault` for a value without a text form, such as a function. */
export function show(run: Run, value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  return value instanceof Undefined ? "" : represent(run, value);
}

/** Prints a value as it appears inside a list, like Python's `repr`. Throws `Fault`. */
export function represent(run: Run, value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return floatText(value);
  if (typeof value === "string") return quoted(value);
  if (value instanceof Markup) return `Markup(${quoted(value.text)})`;
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Range) return value.text;
  if (value instanceof List) return `[${inside(run, value.items)}]`;
  if (value instanceof Tuple) return `(${inside(run, value.items)}${value.items.length === 1 ? "," : ""})`;
  if (value instanceof View) return `${value.kind}([${inside(run, value.items)}])`;
  if (value instanceof Dict) {
    run.enter();
    const pairs = [...value.entries.values()].map(([key, item]) => {
      run.spend(1);
      return run.made(`${represent(run, key)}: ${represent(run, item)}`);
    });
    run.depth -= 1;
    return run.made(`{${pairs.join(", ")}}`);
  }
  throw new Fault(typeOf(value), `${typeOf(value)} cannot be printed; ${fix(value)}`);
}

function fix(value: Value): string {
  return typeOf(value).startsWith("result of") ? "add |list or |join" : "call it with (), or read a key of that name as values['key']";
}

function inside(run: Run, items: readonly Value[]): string {
  run.enter();
  const parts: string[] = [];
  let length = 0;
  for (const item of items) {
    run.spend(1);
    const part = represent(run, item);
    parts.push(part);
    length += part.length + 2;
    run.room(length > 262_144 ? length : part.length);
  }
  run.depth -= 1;
  return parts.join(", ");
}

const special: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/** Quotes a text as Python does. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\\']|(?! )[\p{C}\p{Z}]/gu, (character) => {
    if (character === "'") return quote === "'" ? "\\'" : "'";
    const known = special[character];
    if (known !== undefined) return known;
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code < 0x100
      ? `\\x${digits.padStart(2, "0")}`
      : code < 0x10000
        ? `\\u${digits.padStart(4, "0")}`
        : `\\U${digits.padStart(8, "0")}`;
  });
  return quote + inner + quote;
}
