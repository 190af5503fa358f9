import type { ProblemItem } from "./problem.ts";

/** Returns why a text cannot be stored, or undefined: PostgreSQL accepts no NUL, and UTF-8 has no lone surrogates. */
export function unstorable(text: string): string | undefined {
  if (text.includes("\0")) return "Must not contain the NUL character";
  if (/\p{Surrogate}/u.test(text)) return "Must not contain half of a surrogate pair";
  return undefined;
}

interface Node {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Node | undefined;
  /** Number of ancestors. */
  readonly depth: number;
}

/** Checks whether a JSON value consists of more than `most` values. Walks without recursion and stops at that number. */
export function holdsMoreValues(value: unknown, most: number): boolean {
  let count = 0;
  const waiting: object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const children: readonly unknown[] = Array.isArray(node) ? node : Object.values(node);
    count += children.length;
    if (count > most) return true;
    for (const child of children) if (typeof child === "object" && child !== null) waiting.push(child);
  }
  return false;
}

/** Maximum number of errors reported. */
const mostItems = 100;
/** A deeper location is truncated to its beginning. */
const longestLoc = 50;

/**
 * Finds the texts in a JSON value that cannot be stored, at most 100. With `itemsAside` it skips the lists in its fields, because each of
 * their items is checked separately. Walks without recursion, since a megabyte of "[" is half a million levels deep. Only reported texts
 * get a location, because building it costs another walk.
 */
export function unstorableTexts(value: unknown, at: "body", { itemsAside = false }: { readonly itemsAside?: boolean } = {}): ProblemItem[] {
  const items: ProblemItem[] = [];
  const tell = (loc: ProblemItem["loc"], msg: string): void => {
    items.push({ loc, msg, type: "value_error" });
  };
  const waiting: Node[] = [{ value, key: at, parent: undefined, depth: 0 }];
  for (let node = waiting.pop(); node && items.length < mostItems; node = waiting.pop()) {
    if (typeof node.value === "string") {
      const msg = unstorable(node.value);
      if (msg) tell(locOf(node), msg);
    } else if (typeof node.value === "object" && node.value !== null) {
      const parent = node;
      const isList = Array.isArray(node.value);
      if (itemsAside && isList && node.depth === 1) continue;
      for (const [key, child] of Object.entries(node.value)) {
        if (!isList && items.length < mostItems && unstorable(key))
          tell(locOf(parent), `A field name at this location is not valid: ${unstorable(key)}`);
        waiting.push({ value: child, key: isList ? Number(key) : key, parent, depth: node.depth + 1 });
      }
    }
  }
  return items.reverse();
}

function locOf(node: Node): (string | number)[] {
  const loc: (string | number)[] = [];
  for (let at: Node | undefined = node; at; at = at.parent) if (at.depth < longestLoc) loc.push(at.key);
  return loc.reverse();
}
