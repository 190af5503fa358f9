import { safeName } from "../safe-name.ts";

/** A path as the camera sees it: the names of folders and files below `/`, which is the camera's folder. */
export type VirtualPath = readonly string[];

/** Deepest path that a camera may use. */
const mostDepth = 16;

/**
 * Resolves a path that a camera sent. Every name is safe for the file system, and no path leads out of `/`. Returns undefined for a path
 * that is too deep. Some cameras send backslashes, and `~` for their home.
 */
export function resolvePath(folder: VirtualPath, text: string): VirtualPath | undefined {
  const path = text.replaceAll("\\", "/").replace(/^~(?=\/|$)/, "/");
  const names = path.startsWith("/") ? [] : [...folder];
  for (const name of path.split("/")) {
    const trimmed = name.trim();
    if (trimmed === "..") names.pop();
    else if (trimmed !== "" && trimmed !== ".") names.push(trimmed.startsWith(".") ? `.${safeName(trimmed)}` : safeName(trimmed));
    if (names.length > mostDepth) return undefined;
  }
  return names;
}

/** Returns the path as text, such as `/2026-11-27/am`. */
export function pathText(path: VirtualPath): string {
  return `/${path.join("/")}`;
}

/** Returns the path in quotes as replies to PWD and MKD have it. */
export function quoted(path: VirtualPath): string {
  return `"${pathText(path).replaceAll('"', '""')}"`;
}
