import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder, and those above it, where they are missing. Not by `recursive` of Node: below /proc and wherever else a folder is there but
 * takes no other, that tries for ever. Throws what the system says: `ENOENT` in such a place, `EEXIST` or `ENOTDIR` where a file is.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    const above = dirname(path);
    if (code !== "ENOENT" || above === path) throw error;
    await makeFolder(above);
    await mkdir(path, mode).catch((failure: NodeJS.ErrnoException) => {
      // somebody else was faster
      if (failure.code !== "EEXIST") throw failure;
    });
  }
}
