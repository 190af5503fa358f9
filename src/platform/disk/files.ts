import { realpathSync, statSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { sep } from "node:path";

/** A file on disk with its size. */
export interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

/** Returns the names in a folder; none if it does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** Returns the size of a regular file; undefined if there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const stat = await lstat(path);
    return stat.isFile() ? stat.size : undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Tells whether the file system reports that nothing exists at a path. */
export function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Tells whether a path is the root or lies below it. Both are real paths. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * Returns the file to replace with a new one: the target of the path's links, so that the links stay. It is the path itself if nothing
 * exists yet. Throws an error with a code for an obstacle: `ENODEV` for a device or a pipe, which must not be replaced by a file.
 */
export function replacedFile(path: string): string {
  try {
    const real = realpathSync(path);
    const found = statSync(real);
    if (!found.isFile() && !found.isDirectory()) throw Object.assign(new Error(`${real} is no file`), { code: "ENODEV" });
    return real;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}

/** A file system did not respond in time, or has not yet ended an earlier operation. Its code is the system's code for a timeout. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
  readonly code = "ETIMEDOUT";

  constructor(folder: string) {
    super(`${folder} does not answer; is its disk or share disconnected?`);
  }
}
