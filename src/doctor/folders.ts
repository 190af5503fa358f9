import { readdir } from "node:fs/promises";
import { join } from "node:path";

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
