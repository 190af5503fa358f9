import type { Steps } from "../base/async/slices.ts";
import type { ProblemItem } from "./problem.ts";

/** Returns why a text cannot be stored, or undefined: PostgreSQL accepts no NUL, and UTF-8 has no lone surrogates. */
export function unstorable(text: string): string | undefined {
  if (text.includes("\0")) return "Must not contain the NUL character";
  if (/\p{Surrogate}/u.test(text)) return "Must not contain half of a surrogate pair";
  return undefined;
}

/** A list or object with the place of the next value to check. */
interface Container {
  readonly values: Readonly<Record<string | number, unknown>>;
  /** The names of the fields; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  readonly key: string | number;
  readonly parent: Container | undefined;
  /** Number of ancestors. */
  readonly depth: number;
  next: number;
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
 * their items is checked separately. Walks without recursion, since a megabyte of "[" is half a million levels deep, and pauses between
 * values. Only reported texts get a location, because building it costs another walk.
 */
export function* unstorableTexts(
  value: unknown,
  at: "body",
  { itemsAside = false }: { readonly itemsAside?: boolean } = {},
): Steps<ProblemItem[]> {
  const items: ProblemItem[] = [];
  const tell = (loc: ProblemItem["loc"], msg: string): void => {
    items.push({ loc, msg, type: "value_error" });
  };
  // The root is the only value of a list, so that it is checked like all others.
  let inside: Container | undefined = containerOf([value], "", undefined);
  while (inside && items.length < mostItems) {
    yield;
    const { names, values, depth }: Container = inside;
    if (inside.next === inside.length) {
      inside = inside.parent;
      continue;
    }
    const key: string | number = depth === 0 ? at : names ? (names[inside.next] as string) : inside.next;
    const child = depth === 0 ? value : values[key];
    inside.next += 1;
    const wrongName = names && unstorable(String(key));
    if (wrongName) tell(locOf(inside), `A field name at this location is not valid: ${wrongName}`);
    if (typeof child === "string") {
      const msg = unstorable(child);
      if (msg) tell(locOf({ key, parent: inside, depth: depth + 1 }), msg);
    } else if (typeof child === "object" && child !== null && !(itemsAside && depth === 1 && Array.isArray(child))) {
      inside = containerOf(child, key, inside);
    }
  }
  return items;
}

function containerOf(value: object, key: string | number, parent: Container | undefined): Container {
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  const length = names?.length ?? (value as readonly unknown[]).length;
  return { values: value as Container["values"], names, length, key, parent, depth: parent ? parent.depth + 1 : 0, next: 0 };
}

function locOf(place: Pick<Container, "key" | "parent" | "depth">): (string | number)[] {
  const loc: (string | number)[] = [];
  for (let at: typeof place | undefined = place; at && at.depth > 0; at = at.parent) if (at.depth <= longestLoc) loc.push(at.key);
  return loc.reverse();
}
