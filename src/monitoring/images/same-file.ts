import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Database } from "../../platform/database/database.ts";
import { statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import type { LedgerImage } from "./images-repository.ts";
import { reupload, type SeenBefore } from "./reasons.ts";
import { type EntryElsewhere, earlierEntries, laterPath } from "./same-file-repository.ts";

/*
 * Upload servers set the time or the name of a file after it is complete. The file is then a new version with a new entry, while the
 * detector may be processing the first. The checks in this file make sure that it is processed once.
 */

/**
 * Finds the earlier name of a file with the same content and time: the file was moved if that name is gone, and has two names if it is
 * the same file, such as the target of a link `lastsnap.jpg`.
 */
export async function movedFrom(earlier: readonly string[], path: string): Promise<SeenBefore | undefined> {
  for (const name of earlier) {
    if (!(await exists(name))) return { reason: "moved", detail: `It was processed as ${name} and renamed since.` };
    if (await isSameFile(name, path)) return { reason: "moved", detail: `It was processed as ${name}, which is the same file.` };
  }
  return undefined;
}

/**
 * Among entries of other cameras for the files of new ones, returns those that prove that the file was processed, by the id of the new
 * entry: it has the same path, since its folder belonged to the other camera before; or the folder of the other camera is gone, as after
 * `mv yard garden`. While that folder exists, its pictures are being sorted into other cameras' folders, and are processed there.
 */
export async function movedWithFolder(elsewhere: readonly EntryElsewhere[]): Promise<ReadonlyMap<number, SeenBefore>> {
  const folders = [...new Set(elsewhere.map(({ folder }) => folder))];
  const areThere = await Promise.all(folders.map(exists));
  const gone = new Set(folders.filter((_, at) => !areThere[at]));
  return new Map(
    elsewhere
      .filter(({ folder, isSamePath }) => isSamePath || gone.has(folder))
      .map(({ imageId, path, cameraId, isSamePath }) => [
        imageId,
        {
          reason: "moved",
          detail: isSamePath
            ? `It was processed for camera ${cameraId}, which had this folder before.`
            : `It was processed as ${path} of camera ${cameraId}, whose folder is gone.`,
        },
      ]),
  );
}

/** Tells whether the file of an entry was processed under its earlier time or name, or (`at_detector`) is being processed. */
export async function seenBefore(db: Database, image: LedgerImage): Promise<SeenBefore | "at_detector" | undefined> {
  // Its content is new.
  if (image.sameContentAs === null) return undefined;
  const { isReupload, seenAt, atDetector } = await db.query((sql) => earlierEntries(sql, image.imageId));
  if (isReupload) return reupload;
  const moved = await movedFrom(seenAt, image.path);
  if (moved) return moved;
  for (const path of atDetector) {
    if (path === image.path || !(await exists(path)) || (await isSameFile(path, image.path))) return "at_detector";
  }
  return undefined;
}

/** Returns the current path of an entry's file if it was registered again: at another time, or under another name. */
export async function registeredAgainAs(db: Database, image: LedgerImage): Promise<string | undefined> {
  const path = await db.query((sql) => laterPath(sql, image.imageId));
  return path !== undefined && (await exists(path)) ? path : undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await statWithTimeout(dirname(path), () => access(path));
    return true;
  } catch (error) {
    // Only a deleted name proves a move.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/** Tells whether two names lead to one file, by a symbolic or a hard link. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const identity = async (path: string): Promise<string> => {
    const { dev, ino } = await statWithTimeout(dirname(path), () => stat(path, { bigint: true }));
    return `${dev}:${ino}`;
  };
  try {
    return (await identity(one)) === (await identity(other));
  } catch {
    // If that cannot be determined, the file is processed.
    return false;
  }
}
