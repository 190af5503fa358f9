import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";

/**
 * Opens the file at a real path, which contains no link. Undefined if another thing is there by now: not a regular file, or one reached
 * through a link, which may lie anywhere. It opens without blocking, since a pipe would hold a thread forever. Rejects as `open` does.
 */
export async function openReal(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if ((await file.stat()).isFile() && (await pathOf(file, path)) === path) return file;
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
