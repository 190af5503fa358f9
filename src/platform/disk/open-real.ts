import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";

/**
 * Opens the file at a real path, one that had no link in it when it was followed. Undefined when something else is there by now: no regular file,
 * or one that is reached through a link, which may lie anywhere. Without blocking, since a pipe would hold up a thread for good. Rejects as `open` does.
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

/** Where an open file lies. Of an opened file itself only Linux tells that; elsewhere it is asked of its name once more. */
async function pathOf(file: FileHandle, path: string): Promise<string> {
  return await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));
}
