import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";

/**
 * Opens the file at a real path, which contains no link. Undefined if another thing is there by now: not a regular file, or one reached
 * through a link, which may lie anywhere. Rejects as `open` does.
 */
export async function openReal(path: string): Promise<FileHandle | undefined> {
  return await openIf(path, async (file) => (await file.stat()).isFile() && (await pathOf(file, path)) === path);
}

/** Opens a regular file, but no link to one. Undefined if another thing is there. Rejects as `open` does. */
export async function openRegular(path: string): Promise<FileHandle | undefined> {
  return await openIf(path, async (file) => (await file.stat()).isFile());
}

/** Opens without blocking, because a pipe would hold a thread forever, and closes what does not fit. */
async function openIf(path: string, fits: (file: FileHandle) => Promise<boolean>): Promise<FileHandle | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (await fits(file)) return file;
    await file.close();
    return undefined;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns the location of an open file. Only Linux can tell it from the open file; elsewhere the name is resolved again. */
async function pathOf(file: FileHandle, path: string): Promise<string> {
  return await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));
}
