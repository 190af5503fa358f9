import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents. It does not use the `recursive` option of Node.js, which loops forever where a folder exists
 * but accepts no subfolder, such as below /proc. Throws the system's error: `ENOENT` in such a place, `EEXIST` or `ENOTDIR` if a file is
 * in the way.
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
      // Another process was faster
      if (failure.code !== "EEXIST") throw failure;
    });
  }
}
