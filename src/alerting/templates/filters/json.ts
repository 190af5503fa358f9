import { order } from "../compare.ts";
import { Fault } from "../error.ts";
import { floatText } from "../number.ts";
import type { Run } from "../run.ts";
import { Dict, List, Markup, Tuple, textOf, typeOf, type Value } from "../value.ts";

/**
 * Writes JSON as Jinja2's `tojson` does: sorted keys, non-ASCII characters as `\u`, and `<`, `>`, `&`, `'` as `\u` too, so that it is
 * safe in HTML. With `indent`, one entry per line. Throws `Fault` for values without a JSON form.
 */
export function toJson(run: Run, value: Value, indent: number | null): Markup {
  if (indent !== null && (indent < 0 || indent > 16))
    throw new Fault("tojson", "the indent of tojson is at most 16; write a smaller number");
  const text = write(run, value, indent, 0);
  return new Markup(run.made(text.replace(/[<>&']/g, escaped)));
}

function write(run: Run, value: Value, indent: number | null, level: number): string {
  run.spend(1);
  if (value === null) return "null";
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Fault("tojson", `tojson: JSON knows no ${floatText(value)}; test the number first`);
    return floatText(value);
  }
  const text = textOf(value);
  if (text !== null) return jsonText(run, text);
  if (value instanceof List || value instanceof Tuple) {
    run.enter();
    const parts = value.items.map((item) => write(run, item, indent, level + 1));
    run.depth -= 1;
    return brackets(run, "[]", parts, indent, level);
  }
  if (value instanceof Dict) {
    run.enter();
    const entries = [...value.entries.values()].sort((a, b) => order(run, a[0], b[0]));
    const parts = entries.map(([key, item]) => `${keyText(run, key)}: ${write(run, item, indent, level + 1)}`);
    run.depth -= 1;
    return brackets(run, "{}", parts, indent, level);
  }
  throw new Fault("tojson", `tojson: JSON knows no ${typeOf(value)}; give it a value with default(...), or make a list with |list`);
}

function keyText(run: Run, key: Value): string {
  const text = textOf(key);
  if (text !== null) return jsonText(run, text);
  if (key instanceof Tuple) throw new Fault("tojson", "tojson: JSON knows no tuple as a key; use a text");
  return `"${write(run, key, null, 0)}"`;
}

function brackets(run: Run, pair: string, parts: readonly string[], indent: number | null, level: number): string {
  const [open = "", close = ""] = pair;
  if (parts.length === 0) return open + close;
  run.room(parts.reduce((sum, part) => sum + part.length + 2 + (indent ?? 0) * (level + 1), 0));
  if (indent === null) return open + parts.join(", ") + close;
  const line = `\n${" ".repeat(indent * (level + 1))}`;
  return `${open}${line}${parts.join(`,${line}`)}\n${" ".repeat(indent * level)}${close}`;
}

const short: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
  '"': '\\"',
  "\\": "\\\\",
};

function jsonText(run: Run, text: string): string {
  return run.made(`"${text.replace(/["\\]|[^ -~]/g, (unit) => short[unit] ?? escaped(unit))}"`);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
