import { lstat, readdir } from "node:fs/promises";

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
