import { integerArgument, truthArgument } from "../arguments.ts";
import { calculate } from "../arithmetic.ts";
import { equal, iterate, keyOf, order } from "../compare.ts";
import { Fault } from "../error.ts";
import type { Run } from "../run.ts";
import { charactersOf, lengthOf } from "../text.ts";
import { Dict, List, Markup, Range, Stream, Tuple, textOf, typeOf, Undefined, type Value, View } from "../value.ts";
import { attributeReader, type Filter, ignoringCase } from "./filter.ts";

/** Filters for the items of lists, dicts and texts. */
export const listFilters: Readonly<Record<string, Filter>> = {
  length: { parameters: [], apply: (run, value) => BigInt(sizeOf(run, value)) },
  first: { parameters: [], apply: (run, value) => at(iterate(run, value), 0, "first item") },
  last: {
    parameters: [],
    apply: (run, value) => {
      reversible("last", value);
      return at(iterate(run, value), -1, "last item");
    },
  },
  list: { parameters: [], apply: (run, value) => new List(iterate(run, value)) },
  reverse: {
    parameters: [],
    apply: (run, value) => {
      if (value instanceof Markup) throw new Fault("reverse", "reverse of escaped text is not supported; reverse first and escape then");
      if (typeof value === "string") return run.made(charactersOf(value).reverse().join(""));
      const items = [...iterate(run, value)].reverse();
      return value instanceof Stream ? new List(items) : new Stream("reverse", items);
    },
  },
  sort: {
    parameters: ["reverse", "case_sensitive", "attribute"],
    apply: (run, value, [reverse, exact, attribute]) => {
      const paths = textOf(attribute ?? null)?.split(",") ?? [attribute ?? null];
      const readers = paths.map((path) => attributeReader(run, "sort", path));
      const key = keyed(exact);
      const keyOfItem = (item: Value) =>
        readers.length === 1 ? key((readers[0] as (item: Value) => Value)(item)) : new List(readers.map((read) => key(read(item))));
      return new List(sorted(run, iterate(run, value), keyOfItem, truthArgument(reverse, false)));
    },
  },
  unique: {
    parameters: ["case_sensitive", "attribute"],
    apply: (run, value, [exact, attribute]) => {
      const read = attributeReader(run, "unique", attribute);
      const key = keyed(exact);
      const seen = new Set<string>();
      return new Stream(
        "unique",
        iterate(run, value).filter((item) => {
          const id = keyOf(run, key(read(item)));
          return !seen.has(id) && seen.add(id);
        }),
      );
    },
  },
  min: {
    parameters: ["case_sensitive", "attribute"],
    apply: (run, value, [exact, attribute]) => extreme(run, "min", value, exact, attribute),
  },
  max: {
    parameters: ["case_sensitive", "attribute"],
    apply: (run, value, [exact, attribute]) => extreme(run, "max", value, exact, attribute),
  },
  sum: {
    parameters: ["attribute", "start"],
    apply: (run, value, [attribute, start]) => {
      const read = attributeReader(run, "sum", attribute);
      if (textOf(start ?? null) !== null) throw new Fault("sum", "sum adds numbers; use |join for texts");
      return iterate(run, value).reduce<Value>((sum, item) => calculate(run, "+", sum, read(item)), start ?? 0n);
    },
  },
  groupby: {
    parameters: ["attribute", "default", "case_sensitive"],
    required: 1,
    apply: (run, value, [attribute = null, fallback, exact]) => {
      const read = attributeReader(run, "groupby", attribute, fallback);
      const key = keyed(exact);
      const groups: { readonly by: Value; readonly grouper: Value; readonly items: Value[] }[] = [];
      for (const item of sorted(run, iterate(run, value), (each) => key(read(each)), false)) {
        const by = key(read(item));
        const last = groups.at(-1);
        if (last !== undefined && equal(run, last.by, by)) last.items.push(item);
        else groups.push({ by, grouper: truthArgument(exact, false) ? by : read(item), items: [item] });
      }
      return new List(groups.map(({ grouper, items }) => new Tuple([grouper, new List(items)], ["grouper", "list"])));
    },
  },
  batch: {
    parameters: ["linecount", "fill_with"],
    required: 1,
    apply: (run, value, [linecount, fill = null]) => {
      const size = integerArgument("batch", "linecount", linecount, 1);
      if (size < 1) throw new Fault("batch", "batch needs a size of at least 1; write batch(3)");
      const items = iterate(run, value);
      const rows: Value[][] = [];
      for (let at = 0; at < items.length; at += size) rows.push(items.slice(at, at + size));
      const last = rows.at(-1);
      if (last !== undefined && fill !== null) {
        run.spend(size);
        while (last.length < size) last.push(fill);
      }
      return new Stream(
        "batch",
        rows.map((row) => new List(row)),
      );
    },
  },
  slice: {
    parameters: ["slices", "fill_with"],
    required: 1,
    apply: (run, value, [slices, fill = null]) => {
      const count = integerArgument("slice", "slices", slices, 1);
      if (count < 1) throw new Fault("slice", "slice needs at least 1 part; write slice(3)");
      run.spend(count);
      const items = iterate(run, value);
      const [size, longer] = [Math.floor(items.length / count), items.length % count];
      const parts = Array.from({ length: count }, (_, index) => {
        const from = index * size + Math.min(index, longer);
        const part = items.slice(from, from + size + (index < longer ? 1 : 0));
        return new List(fill !== null && index >= longer ? [...part, fill] : part);
      });
      return new Stream("slice", parts);
    },
  },
  dictsort: {
    parameters: ["case_sensitive", "by", "reverse"],
    apply: (run, value, [exact, by = "key", reverse]) => {
      if (!(value instanceof Dict)) throw new Fault("dictsort", `dictsort needs a dict, not ${typeOf(value)}; use sort for lists`);
      if (by !== "key" && by !== "value") throw new Fault("dictsort", "dictsort sorts by 'key' or by 'value'; write one of them");
      const pairs = [...value.entries.values()].map((pair) => new Tuple(pair));
      const key = keyed(exact);
      return new List(
        sorted(run, pairs, (pair) => key((pair as Tuple).items[by === "key" ? 0 : 1] as Value), truthArgument(reverse, false)),
      );
    },
  },
  items: {
    parameters: [],
    apply: (_, value) => {
      if (value instanceof Undefined) return new Stream("items", []);
      if (!(value instanceof Dict)) throw new Fault("items", `items needs a dict, not ${typeOf(value)}; lists need no items`);
      return new Stream(
        "items",
        [...value.entries.values()].map((pair) => new Tuple(pair)),
      );
    },
  },
};

/** Returns the number of items or characters of a value. Throws `Fault` for a value without a length. */
function sizeOf(run: Run, value: Value): number {
  const text = textOf(value);
  if (text !== null) {
    run.spend(text.length >> 6);
    return lengthOf(text);
  }
  if (value instanceof Dict) return value.entries.size;
  if (value instanceof Undefined) return 0;
  if (value instanceof List || value instanceof Tuple || value instanceof Range || value instanceof View) return value.items.length;
  throw new Fault(
    "length",
    `${typeOf(value)} has no length; ${value instanceof Stream ? "add |list before it" : "use it with lists, dicts and texts"}`,
  );
}

function keyed(exact: Value | undefined): (value: Value) => Value {
  return truthArgument(exact, false) ? (value) => value : ignoringCase;
}

function at(items: readonly Value[], index: number, what: string): Value {
  const item = items.at(index);
  return item === undefined ? new Undefined(`${what} of nothing`) : item;
}

function reversible(filter: string, value: Value): void {
  if (value instanceof Stream || value instanceof Undefined)
    throw new Fault(filter, `${filter} does not go with ${typeOf(value)}; add |list before it`);
}

function sorted(run: Run, items: readonly Value[], keyOfItem: (item: Value) => Value, reverse: boolean): Value[] {
  const keys = items.map((item) => ({ item, key: keyOfItem(item) }));
  keys.sort((a, b) => (reverse ? order(run, b.key, a.key) : order(run, a.key, b.key)));
  return keys.map(({ item }) => item);
}

function extreme(run: Run, which: "min" | "max", value: Value, exact: Value | undefined, attribute: Value | undefined): Value {
  const read = attributeReader(run, which, attribute);
  const key = keyed(exact);
  let best: { readonly item: Value; readonly key: Value } | null = null;
  for (const item of iterate(run, value)) {
    const found = { item, key: key(read(item)) };
    if (best === null || (which === "min" ? order(run, found.key, best.key) < 0 : order(run, found.key, best.key) > 0)) best = found;
  }
  return best === null ? new Undefined(`${which} of nothing`) : best.item;
}
