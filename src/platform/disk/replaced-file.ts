import { realpathSync, statSync } from "node:fs";

/**
 * The file that is to be replaced by one that is written beside it: where the links of the path lead, so that they stay and the file behind them is
 * new. The path itself when nothing is there yet. Throws, with a code, what is in the way: `ENODEV` for a device or a pipe, which a file must not
 * take the place of.
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
