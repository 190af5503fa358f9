import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { Problem } from "../../contract/problem.ts";

const keyBytes = 32;

/** Reads the key, or creates one if the file is missing. Throws `Problem("unavailable")` with the fix. */
export function readOrMakeKey(path: string): Buffer {
  return readKey(path) ?? makeKey(path);
}

/** Reads the key; undefined if the file does not exist. Throws `Problem("unavailable")` for a file without a valid key. */
export function readKey(path: string): Buffer | undefined {
  const complaint = (reason: string, cause?: unknown): Problem =>
    new Problem("unavailable", `The key file ${path} cannot be used: ${reason}`, { cause });
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(file);
    if (!found.isFile()) throw complaint("it is no file; name one with SECRET_KEY_PATH");
    const { mode, size } = found;
    if (mode & 0o077) throw complaint(`others may read it or write to it; run: chmod 600 ${path}`);
    if (size !== keyBytes) {
      throw complaint(`it has ${size} bytes and a key has ${keyBytes}; put the right file there, or see "The key file" in docs/access.md`);
    }
    return readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return undefined;
    if (error instanceof Problem) throw error;
    const reasons: Readonly<Record<string, string>> = {
      EACCES: "this user may not read it; give it to the user that runs homesec",
      ENOTDIR: "part of its path is not a folder; name another with SECRET_KEY_PATH",
    };
    throw complaint(reasons[code ?? ""] ?? String(error), error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Creates a key that only this user can read. The file appears with its whole content or not at all; if several processes create it at
 * the same time, all use the same key.
 */
function makeKey(path: string): Buffer {
  const own = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(own, "wx", 0o600);
    try {
      writeSync(file, randomBytes(keyBytes));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    giveToOwnerOfFolder(own, dirname(path));
    try {
      linkSync(own, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  } catch (cause) {
    throw new Problem(
      "unavailable",
      `The key file ${path} cannot be made (${(cause as NodeJS.ErrnoException).code}); name another place with SECRET_KEY_PATH`,
      { cause },
    );
  } finally {
    rmSync(own, { force: true });
  }
  const key = readKey(path);
  if (!key) throw new Problem("unavailable", `The key file ${path} was taken away while it was made; start homesec again`);
  return key;
}

/** Gives a file that root creates in another user's folder to that user, who runs the daemon. */
function giveToOwnerOfFolder(path: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid !== 0) chownSync(path, uid, gid);
}
