import { readFileSync, statSync } from "node:fs";
import { Problem } from "../../contract/problem.ts";

/** A key has one line; a file of this size is another file. */
const longestSecret = 8_192;

/**
 * Reads a secret from a file that a variable names, without the spaces around it. Throws `Problem("invalid")` with the fix if the file
 * cannot be read, is empty or too long, or if every user of the machine may change it.
 */
export function readSecretFile(path: string, variable: string): string {
  const complaint = (reason: string, cause?: unknown): Problem => new Problem("invalid", `${variable}=${path} ${reason}`, { cause });
  let text: string;
  try {
    const found = statSync(path);
    if (!found.isFile()) throw complaint("is no file; name a file with the key");
    if (found.mode & 0o002) throw complaint(`may be changed by everyone; run: chmod 600 ${path}`);
    if (found.size > longestSecret) throw complaint(`has ${found.size} bytes, which is no key; name a file with nothing but the key`);
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") throw complaint("does not exist; create it, or correct the path", error);
    if (code === "EACCES") throw complaint("may not be read by this user; give it to the user that runs homesec", error);
    throw complaint(`cannot be read: ${String(error)}`, error);
  }
  if (text === "" || /[\s\0]/.test(text)) throw complaint("must have the key as its only line");
  return text;
}
