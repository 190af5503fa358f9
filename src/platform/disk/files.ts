import { lstat, readdir } from "node:fs/promises";

/** A file on disk with its size. */
export interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

/** The names in a folder; none when it is not there. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** The size of a regular file; undefined when there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const stat = await lstat(path);
    return stat.isFile() ? stat.size : undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Whether the file system says that there is nothing at a path. */
export function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}
