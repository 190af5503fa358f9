/**
 * The closed world of a template. Nothing in here leads to JavaScript: data is copied into these types, and what can be called is
 * written in this folder. Integers are `bigint` and floats `number`, since Python prints and divides them differently. No value
 * ever changes, so none can contain itself; only namespaces are assigned to.
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

/** Text that was escaped already, so that it is not escaped again. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A thing that is not there: prints as nothing, and may be tested, but not worked with. `hint` says what was not there. */
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

/** A fixed sequence; what `groupby` gives has names for its two places. */
export class Tuple {
  readonly items: readonly Value[];
  readonly names: readonly string[];
  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items;
    this.names = names;
  }
}

/** Keys are found by `keyOf`, which knows that 1, 1.0 and true are the same key. */
export class Dict {
  readonly entries: ReadonlyMap<string, readonly [key: Value, value: Value]>;
  constructor(entries: ReadonlyMap<string, readonly [key: Value, value: Value]>) {
    this.entries = entries;
  }
}

/** What `range()` gives; `text` is how Python prints it. */
export class Range {
  readonly items: readonly bigint[];
  readonly text: string;
  constructor(items: readonly bigint[], text: string) {
    this.items = items;
    this.text = text;
  }
}

/** What `keys()`, `values()` and `items()` of a dict give. */
export class View {
  readonly kind: "dict_keys" | "dict_values" | "dict_items";
  readonly items: readonly Value[];
  constructor(kind: View["kind"], items: readonly Value[]) {
    this.kind = kind;
    this.items = items;
  }
}

/** What filters such as `map` and `select` give: read once, from the start to the end, and never printed. */
export class Stream {
  readonly maker: string;
  readonly items: readonly Value[];
  used = false;
  constructor(maker: string, items: readonly Value[]) {
    this.maker = maker;
    this.items = items;
  }
}

/** Arguments of a call, after evaluation. */
export interface Given {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** Something with behaviour: a function, a method, a macro, `loop`. */
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

/** The one thing that is assigned to: `{% set ns.x = 1 %}`. */
export class Namespace {
  readonly values = new Map<string, Value>();
}

/** What Python calls the type of a value. */
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

/** Whether a value counts as true. */
export function isTrue(value: Value): boolean {
  if (typeof value === "bigint") return value !== 0n;
  if (value === null || typeof value !== "object") return value !== null && value !== false && value !== 0 && value !== "";
  if (value instanceof Markup) return value.text !== "";
  if (value instanceof List || value instanceof Tuple || value instanceof Range || value instanceof View) return value.items.length > 0;
  if (value instanceof Dict) return value.entries.size > 0;
  return !(value instanceof Undefined);
}

/** The text of a string, escaped or not; null for everything else. */
export function textOf(value: Value): string | null {
  return typeof value === "string" ? value : value instanceof Markup ? value.text : null;
}
