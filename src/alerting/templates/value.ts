/**
 * The closed world of a template. Nothing in it leads to JavaScript: data is copied into these types, and all callables are defined in
 * this folder. Integers are `bigint` and floats `number`, since Python prints and divides them differently. Values are immutable, so none
 * can contain itself; only namespaces can be assigned to.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Markup
  | Undefined
  | List
  | Tuple
  | Dict
  | Range
  | View
  | Stream
  | Helper
  | Namespace;

/** Text that is escaped already and must not be escaped again. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An undefined value: prints as nothing and may be tested, but any other use is an error. `hint` names the missing thing. */
export class Undefined {
  readonly hint: string;
  constructor(hint: string) {
    this.hint = hint;
  }
}

export class List {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** A fixed sequence; the tuples of `groupby` have names for their two items. */
export class Tuple {
  readonly items: readonly Value[];
  readonly names: readonly string[];
  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items;
    this.names = names;
  }
}

/** A dict; keys are found by `keyOf`, which treats 1, 1.0 and true as the same key. */
export class Dict {
  readonly entries: ReadonlyMap<string, readonly [key: Value, value: Value]>;
  constructor(entries: ReadonlyMap<string, readonly [key: Value, value: Value]>) {
    this.entries = entries;
  }
}

/** The result of `range()`; `text` is Python's printed form. */
export class Range {
  readonly items: readonly bigint[];
  readonly text: string;
  constructor(items: readonly bigint[], text: string) {
    this.items = items;
    this.text = text;
  }
}

/** The result of a dict's `keys()`, `values()` or `items()`. */
export class View {
  readonly kind: "dict_keys" | "dict_values" | "dict_items";
  readonly items: readonly Value[];
  constructor(kind: View["kind"], items: readonly Value[]) {
    this.kind = kind;
    this.items = items;
  }
}

/** The result of filters such as `map` and `select`: read once from start to end, never printed. */
export class Stream {
  readonly maker: string;
  readonly items: readonly Value[];
  used = false;
  constructor(maker: string, items: readonly Value[]) {
    this.maker = maker;
    this.items = items;
  }
}

/** Evaluated arguments of a call. */
export interface Given {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** A value with behaviour: a function, a method, a macro or `loop`. */
export class Helper {
  readonly name: string;
  readonly call: ((given: Given) => Value) | null;
  readonly attributes: ReadonlyMap<string, () => Value>;
  constructor(name: string, call: ((given: Given) => Value) | null, attributes: ReadonlyMap<string, () => Value> = new Map()) {
    this.name = name;
    this.call = call;
    this.attributes = attributes;
  }
}

/** The only assignable value: `{% set ns.x = 1 %}`. */
export class Namespace {
  readonly values = new Map<string, Value>();
}

/** Returns Python's name for the type of a value. */
export function typeOf(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "float";
  if (typeof value === "string") return "str";
  if (value instanceof Markup) return "escaped text";
  if (value instanceof Undefined) return "undefined";
  if (value instanceof List) return "list";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof Dict) return "dict";
  if (value instanceof Range) return "range";
  if (value instanceof View) return value.kind;
  if (value instanceof Stream) return `result of ${value.maker}`;
  return value instanceof Namespace ? "namespace" : value.name;
}

/** Tells whether a value counts as true. */
export function isTrue(value: Value): boolean {
  if (typeof value === "bigint") return value !== 0n;
  if (value === null || typeof value !== "object") return value !== null && value !== false && value !== 0 && value !== "";
  if (value instanceof Markup) return value.text !== "";
  if (value instanceof List || value instanceof Tuple || value instanceof Range || value instanceof View) return value.items.length > 0;
  if (value instanceof Dict) return value.entries.size > 0;
  return !(value instanceof Undefined);
}

/** Returns the text of a string, escaped or not; null for other values. */
export function textOf(value: Value): string | null {
  return typeof value === "string" ? value : value instanceof Markup ? value.text : null;
}
