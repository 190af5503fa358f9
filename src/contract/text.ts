import type { ProblemItem } from "./problem.ts";

/** Why a text cannot be stored, or undefined: PostgreSQL holds no NUL, and UTF-8 no half of a surrogate pair. */
export function unstorable(text: string): string | undefined {
  if (text.includes("\0")) return "Must not contain the NUL character";
  if (/\p{Surrogate}/u.test(text)) return "Must not contain half of a surrogate pair";
  return undefined;
}

interface Node {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Node | undefined;
}

/** Every text in a JSON value that cannot be stored. Walks without recursion: a megabyte of "[" is half a million levels deep. */
export function unstorableTexts(value: unknown, at: "body"): ProblemItem[] {
  const items: ProblemItem[] = [];
  const waiting: Node[] = [{ value, key: at, parent: undefined }];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (typeof node.value === "string") {
      const msg = unstorable(node.value);
      if (msg) items.push({ loc: locOf(node), msg, type: "value_error" });
    } else if (typeof node.value === "object" && node.value !== null) {
      const parent = node;
      const isList = Array.isArray(node.value);
      for (const [key, child] of Object.entries(node.value)) {
        if (!isList && unstorable(key))
          items.push({ loc: locOf(parent), msg: `A field name here is not valid: ${unstorable(key)}`, type: "value_error" });
        waiting.push({ value: child, key: isList ? Number(key) : key, parent });
      }
    }
  }
  return items.reverse();
}

function locOf(node: Node): (string | number)[] {
  const loc: (string | number)[] = [];
  for (let at: Node | undefined = node; at; at = at.parent) loc.push(at.key);
  return loc.reverse();
}
