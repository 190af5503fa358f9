import type { Dirent } from "node:fs";
import { readdir, rmdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { dayMs } from "../../base/clock/clock.ts";
import { allCameras } from "../../monitoring/cameras/cameras-repository.ts";
import { endOfPeriod } from "../../monitoring/cameras/day-folders.ts";
import { resolveInside, rootsOf } from "../../monitoring/cameras/roots.ts";
import { isIgnoredFolder } from "../../monitoring/images/picture.ts";
import { listWithTimeout, statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import type { LedgerContext } from "./ledger.ts";

/** One walk through the folder of a camera. */
interface Walk {
  readonly now: Date;
  /** Folders of cameras, which stay. */
  readonly kept: ReadonlySet<string>;
  readonly signal: AbortSignal | undefined;
  removed: number;
}

/**
 * Removes the empty folders of past days and months that recorders and the deletion of pictures leave below the folders of cameras. A folder
 * stays while its name contains no date, its day ended less than a day ago, or it changed within a day: a camera may still upload into it.
 * Returns the number of removed folders. Rejects with the reason of `signal`.
 */
export async function removeEmptyFolders({ db, config, log }: LedgerContext, now: Date, signal: AbortSignal | undefined): Promise<number> {
  const cameras = await db.query(allCameras);
  const resolved = await Promise.all(
    cameras.map(({ folder_path }) => resolveInside(rootsOf(config), resolve(config.cameraRoot, folder_path))),
  );
  const kept = new Set(resolved.map(({ path }) => path));
  let removed = 0;
  for (const [at, camera] of cameras.entries()) {
    const folder = resolved[at];
    if (folder?.state !== "inside" || camera.deleted_at) continue;
    const walk: Walk = { now, kept, signal, removed: 0 };
    await prune(folder.path, "", walk);
    if (walk.removed > 0) log.info({ camera: camera.camera_id, folders: walk.removed }, "empty folders of past days were removed");
    removed += walk.removed;
  }
  return removed;
}

/** Removes what may go at and below a folder, whose path below the camera's is `below`. Returns whether the folder itself is removed. */
async function prune(path: string, below: string, walk: Walk): Promise<boolean> {
  walk.signal?.throwIfAborted();
  const entries = await listWithTimeout(path, () => readdir(path, { withFileTypes: true })).catch(() => undefined);
  if (!entries) return false;
  let left = entries.length;
  for (const entry of entries) {
    const folder = join(path, entry.name);
    if (mayEnter(entry) && !walk.kept.has(folder) && (await prune(folder, join(below, entry.name), walk))) left -= 1;
  }
  if (left > 0 || !isPast(endOfPeriod(below), walk.now)) return false;
  // the folders in it are gone since a moment ago, which changed its time
  const isUnchanged = entries.length > 0 || (await hasRested(path, walk.now));
  const isRemoved =
    isUnchanged &&
    (await statWithTimeout(path, () => rmdir(path)).then(
      () => true,
      () => false,
    ));
  if (isRemoved) walk.removed += 1;
  return isRemoved;
}

const mayEnter = (entry: Dirent): boolean => entry.isDirectory() && !isIgnoredFolder(entry.name);

function isPast(end: Date | undefined, now: Date): boolean {
  return end !== undefined && now.getTime() - end.getTime() > dayMs;
}

async function hasRested(path: string, now: Date): Promise<boolean> {
  const found = await statWithTimeout(path, () => stat(path)).catch(() => undefined);
  return found !== undefined && now.getTime() - found.mtimeMs > dayMs;
}
