import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Problem } from "../../contract/problem.ts";
import { processIdentity } from "../../platform/database/process-identity.ts";
import { isWritingTrouble, writingReason } from "../../platform/disk/file-reason.ts";
import { replacedFile } from "../../platform/disk/files.ts";

/**
 * Writes a file completely or not at all: under a temporary name beside it, synced to disk, then renamed. An existing file stays until
 * then, and a link to it stays for good. The next write of the same file removes what a killed process left behind. Only this user can
 * read the file. Throws `Problem` if the folder or the disk refuses it.
 */
export async function writeWhole<T>(named: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const path = placeOf(named);
  await removeLeftovers(path);
  const partial = `${path}.${process.pid}.partial`;
  try {
    const file = await open(partial, "wx", 0o600);
    let result: T;
    try {
      result = await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    // The first error explains the failure better than this one.
    await rm(partial, { force: true }).catch(() => {});
    throw explained(error, path);
  }
}

function placeOf(path: string): string {
  try {
    return replacedFile(path);
  } catch (error) {
    throw explained(error, path);
  }
}

async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await readdir(folder).catch((error: unknown) => {
    throw explained(error, path);
  });
  for (const name of names) {
    const pid = name.startsWith(`${basename(path)}.`) ? /^\.(\d+)\.partial$/.exec(name.slice(basename(path).length))?.[1] : undefined;
    const isLeft = pid !== undefined && (Number(pid) === process.pid || (await processIdentity(Number(pid))) === undefined);
    if (isLeft) await rm(join(folder, name), { force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns a `Problem` for a file that cannot be written, or the error itself if it is about something else. */
export function explained(error: unknown, path: string): unknown {
  return isWritingTrouble(error)
    ? new Problem("unavailable", `${path} cannot be written: ${writingReason(error)}`, { cause: error })
    : error;
}
