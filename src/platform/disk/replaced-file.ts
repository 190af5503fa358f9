import { realpathSync, statSync } from "node:fs";

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
