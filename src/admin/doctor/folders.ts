import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isIgnoredFolder, isRecorded, kindOf } from "../../monitoring/images/picture.ts";

/** A house has fewer; more than this is not counted out. */
const mostFolders = 50_000;

/** How many folders there are at and below some folders, `mostFolders` at most. Links are not followed; what cannot be read counts once. */
export async function countFolders(roots: readonly string[], signal: AbortSignal): Promise<number> {
  const waiting = [...roots];
  let count = 0;
  for (let folder = waiting.pop(); folder !== undefined && count < mostFolders; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
    if (entries === undefined && roots.includes(folder)) continue;
    count += 1;
    for (const entry of entries ?? []) if (entry.isDirectory()) waiting.push(join(folder, entry.name));
  }
  return count;
}

/** Into a folder to which nothing was added something may still be written over: a camera that does so has few files. */
const mostWrittenOver = 100;

/**
 * The path of a picture or video at or below a folder that was made or written over after `since`, or undefined. Left out are folders of `others`, such as
 * those of other cameras, and what the file watcher does not look at either. Links are not followed, and of a folder to which nothing was added since only
 * `mostWrittenOver` files are looked at; of folders, `mostFolders`.
 */
export async function newPictureBelow(
  folder: string,
  options: { readonly since: Date; readonly others: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const since = options.since.getTime();
  const waiting = [folder];
  let count = 0;
  for (let path = waiting.pop(); path !== undefined && count < mostFolders; path = waiting.pop()) {
    count += 1;
    const changed = await stat(path).catch(() => undefined);
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const child = join(path, entry.name);
      if (entry.isDirectory() && !isIgnoredFolder(entry.name) && !options.others.has(child)) waiting.push(child);
    }
    const files = entries.filter((entry) => entry.isFile() && isRecorded(kindOf(entry.name)));
    for (const { name } of changed && changed.mtimeMs > since ? files : files.slice(0, mostWrittenOver)) {
      options.signal.throwIfAborted();
      const file = await stat(join(path, name)).catch(() => undefined);
      if (file && cameAfter(since, file)) return join(path, name);
    }
    options.signal.throwIfAborted();
  }
  return undefined;
}

/** The time in the file is that of the camera's clock, and that of its last change also that of a chmod; some file systems do not know when it was made. */
function cameAfter(since: number, { birthtimeMs, ctimeMs, mtimeMs }: Stats): boolean {
  return (birthtimeMs > 0 ? birthtimeMs : ctimeMs) > since || (mtimeMs > since && ctimeMs > since);
}
