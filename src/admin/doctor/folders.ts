import type { Dirent, Stats } from "node:fs";
import { opendir, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isIgnoredFolder, isRecorded, kindOf } from "../../monitoring/images/picture.ts";

/** Whether a path exists. A path that this user may not access counts as existing. */
export async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT" && error.code !== "ENOTDIR",
  );
}

/** Returns the path, or the nearest folder above it that exists. */
export async function nearestExisting(path: string): Promise<string> {
  let folder = path;
  while (folder !== dirname(folder) && !(await exists(folder))) folder = dirname(folder);
  return folder;
}

/** Returns the files and folders inside a folder; none if it cannot be read. */
export async function entriesOf(folder: string): Promise<readonly { readonly path: string; readonly modified: number }[]> {
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.map((path, at) => ({ path, modified: found[at]?.mtimeMs ?? 0 }));
}

/** Counting stops here; no home has more. */
const maxFolders = 50_000;

/** Counts the folders at and below `roots`, up to `maxFolders`. It follows no links, and counts an unreadable folder once. */
export async function countFolders(roots: readonly string[], signal: AbortSignal): Promise<number> {
  const waiting = [...roots];
  let count = 0;
  for (let folder = waiting.pop(); folder !== undefined && count < maxFolders; folder = waiting.pop()) {
    signal.throwIfAborted();
    const inside: string[] = [];
    const isRead = await readEntries(folder, signal, (entry) => {
      if (entry.isDirectory()) inside.push(join(folder, entry.name));
    });
    if (!isRead && roots.includes(folder)) continue;
    count += 1;
    waiting.push(...inside);
  }
  return count;
}

/** Entries that are read at once. All of a folder with a million pictures would stop the daemon for seconds. */
const batchSize = 500;

/** Calls `take` with each entry of a folder. Resolves to whether the folder could be read to its end; rejects when the signal aborts. */
async function readEntries(folder: string, signal: AbortSignal, take: (entry: Dirent) => void): Promise<boolean> {
  try {
    for await (const entry of await opendir(folder, { bufferSize: batchSize })) {
      signal.throwIfAborted();
      take(entry);
    }
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}

/** A camera may overwrite files without adding any to the folder; a camera that does so has few files. */
const maxOverwritten = 100;

/**
 * Looks for a picture or video at or below a folder that was created or overwritten after `since`, and returns its path. It skips the
 * folders of `others` (other cameras) and what the file watcher ignores, and follows no links. It reads at most `maxFolders` folders, and at
 * most `maxOverwritten` files of a folder without new entries.
 */
export async function newPictureBelow(
  folder: string,
  options: { readonly since: Date; readonly others: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const since = options.since.getTime();
  const waiting = [folder];
  let count = 0;
  for (let path = waiting.pop(); path !== undefined && count < maxFolders; path = waiting.pop()) {
    count += 1;
    const changed = await stat(path).catch(() => undefined);
    const files: string[] = [];
    await readEntries(path, options.signal, (entry) => {
      const child = join(path, entry.name);
      if (entry.isDirectory() && !isIgnoredFolder(entry.name) && !options.others.has(child)) waiting.push(child);
      if (entry.isFile() && isRecorded(kindOf(entry.name))) files.push(entry.name);
    });
    // a folder that has new entries is read completely
    for (const name of changed && changed.mtimeMs > since ? files : files.slice(0, maxOverwritten)) {
      options.signal.throwIfAborted();
      const file = await stat(join(path, name)).catch(() => undefined);
      if (file && isNewer(since, file)) return join(path, name);
    }
    options.signal.throwIfAborted();
  }
  return undefined;
}

/** mtime follows the clock of the camera, a chmod changes ctime, and some file systems have no birth time: so no single time decides. */
function isNewer(since: number, { birthtimeMs, ctimeMs, mtimeMs }: Stats): boolean {
  return (birthtimeMs > 0 ? birthtimeMs : ctimeMs) > since || (mtimeMs > since && ctimeMs > since);
}
