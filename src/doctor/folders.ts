import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isIgnoredFolder, isRecorded, kindOf } from "../images/picture.ts";

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

/**
 * The path of a picture or video at or below a folder that was made after `since`, or undefined. Left out are folders of `others`, such as those of other
 * cameras, and what the file watcher does not look at either. Only folders that something was put into since are looked through, at most `mostFolders`; links
 * are not followed.
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
      if (!entry.isFile() || !isRecorded(kindOf(entry.name)) || changed === undefined || changed.mtimeMs <= since) continue;
      options.signal.throwIfAborted();
      const file = await stat(child).catch(() => undefined);
      // its own time is that of the camera's clock; some file systems do not know when a file was made
      if (file && (file.birthtimeMs > 0 ? file.birthtimeMs : file.ctimeMs) > since) return child;
    }
    options.signal.throwIfAborted();
  }
  return undefined;
}
