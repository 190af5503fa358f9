import { stat } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { isInside } from "../../platform/disk/files.ts";
import { statWithTimeout } from "../../platform/disk/fs-timeout.ts";

/**
 * Returns the CAMERA_ROOT of a backup that does not name it, from the folders of its cameras: CAMERA_ROOT, the first of these roots of
 * this machine, if one of them is below it; otherwise the folder with most of those that do not exist here; undefined if all exist.
 */
export async function guessFormerRoot(folders: readonly string[], [cameraRoot]: readonly string[]): Promise<string | undefined> {
  if (cameraRoot !== undefined && folders.some((folder) => isInside(cameraRoot, folder))) return cameraRoot;
  const counts = new Map<string, number>();
  for (const folder of folders.filter(isAbsolute)) {
    if (await exists(folder)) continue;
    counts.set(dirname(folder), (counts.get(dirname(folder)) ?? 0) + 1);
  }
  return [...counts].toSorted(([, some], [, others]) => others - some)[0]?.[0];
}

/** A disk that does not answer may have the folder. */
async function exists(path: string): Promise<boolean> {
  return await statWithTimeout(path, () => stat(path)).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
  );
}
