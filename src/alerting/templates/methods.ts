import { bind, type Method } from "./arguments.ts";
import { equal, keyOf } from "./compare.ts";
import { Fault } from "./error.ts";
import type { Run } from "./run.ts";
import { textMethods } from "./text-methods.ts";
import { Dict, Helper, List, Markup, Range, Tuple, typeOf, type Value, View } from "./value.ts";

const dictMethods: Readonly<Record<string, Method<Dict>>> = {
  get: {
    parameters: ["key", "default"],
    required: 1,
    apply: (run, self, [key = null, fallback = null]) => {
      const value = self.entries.get(keyOf(run, key))?.[1];
      return value === undefined ? fallback : value;
    },
  },
  keys: { parameters: [], apply: (run, self) => view(run, "dict_keys", self, (key) => key) },
  values: { parameters: [], apply: (run, self) => view(run, "dict_values", self, (_, value) => value) },
  items: { parameters: [], apply: (run, self) => view(run, "dict_items", self, (key, value) => new Tuple([key, value])) },
  copy: { parameters: [], apply: (_, self) => self },
};

const listMethods: Readonly<Record<string, Method<List | Tuple | Range>>> = {
  count: {
    parameters: ["value"],
    required: 1,
    apply: (run, self, [value = null]) => BigInt(self.items.filter((item) => equal(run, item, value)).length),
  },
  index: {
    parameters: ["value"],
    required: 1,
    apply: (run, self, [value = null]) => {
      const at = self.items.findIndex((item) => equal(run, item, value));
      if (at === -1) throw new Fault("index", "index: the value is not in the list; test with in first");
      return BigInt(at);
    },
  },
};

/** Methods that Python's types have and this language does not, so that using one is an error instead of an empty output. */
const lacking: Readonly<Record<string, string>> = {
  str: "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill escape striptags unescape",
  dict: "clear copy fromkeys get items keys pop popitem setdefault update values",
  list: "append clear copy count extend index insert pop remove reverse sort start stop step isdisjoint mapping",
  number: "as_integer_ratio bit_count bit_length conjugate denominator from_bytes fromhex hex imag is_integer numerator real to_bytes",
  stream: "close send throw gi_code gi_frame gi_running gi_suspended gi_yieldfrom",
};
const lackingSets = new Map(Object.entries(lacking).map(([type, names]) => [type, new Set(names.split(" "))]));

/** All method names; a call of any other name after a dot is an unknown name. */
export const methodNames: ReadonlySet<string> = new Set([
  ...Object.keys(textMethods),
  ...Object.keys(dictMethods),
  ...Object.keys(listMethods),
]);

/** Returns the method of a value, bound to it; null if the value has no such method. */
export function methodOf(run: Run, object: Value, name: string): Helper | null {
  if (typeof object === "string") return bound(run, name, object, textMethods);
  if (object instanceof Dict) return bound(run, name, object, dictMethods);
  if (object instanceof List || object instanceof Tuple || object instanceof Range) return bound(run, name, object, listMethods);
  return null;
}

/** Tells whether Python's type of this value has such an attribute. */
export function unsupportedMethods(object: Value, name: string): boolean {
  if (name.startsWith("_")) return object instanceof Tuple;
  const type = typeof object === "string" || object instanceof Markup ? "str" : object instanceof Dict ? "dict" : null;
  if (type !== null) return lackingSets.get(type)?.has(name) ?? false;
  if (object instanceof List || object instanceof Tuple || object instanceof Range || object instanceof View)
    return lackingSets.get("list")?.has(name) ?? false;
  const kind = typeof object === "bigint" || typeof object === "number" || typeof object === "boolean" ? "number" : "stream";
  return lackingSets.get(kind)?.has(name) ?? false;
}

function bound<Of extends Value>(run: Run, name: string, self: Of, methods: Readonly<Record<string, Method<Of>>>): Helper | null {
  if (!Object.hasOwn(methods, name)) return null;
  const method = methods[name] as Method<Of>;
  const title = `${name} of ${typeOf(self)}`;
  return new Helper(title, (given) => method.apply(run, self, bind(name, method, given)));
}

function view(run: Run, kind: View["kind"], self: Dict, pick: (key: Value, value: Value) => Value): View {
  run.spend(self.entries.size);
  return new View(
    kind,
    [...self.entries.values()].map(([key, value]) => pick(key, value)),
  );
}
