import { sep } from "node:path";

/** Tells whether a path is the root or lies below it. Both are real paths. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
