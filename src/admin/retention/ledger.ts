import { lstat, stat as statFollowed, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Log } from "../../base/log/log.ts";
import { allCameras } from "../../monitoring/cameras/cameras-repository.ts";
import { resolveInside, rootsOf } from "../../monitoring/cameras/roots.ts";
import { isSame, versionOf } from "../../monitoring/images/inspect-file.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import { confirmDeleted, type FolderStates } from "../../platform/disk/confirm-deleted.ts";
import { isGone } from "../../platform/disk/files.ts";
import { statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { deleteImages, type ExpiredImage, expiredImages, type LedgerPlace, noteDeletedOriginals } from "./expired-images-repository.ts";
import { type Files, together } from "./own-files.ts";
import type { Retention } from "./retention.ts";

export interface LedgerContext {
  readonly db: Database;
  readonly config: Config;
  readonly log: Log;
}

const imagesAtOnce = 500;

/** The options of a cleanup of the ledger. */
export interface LedgerCleanup {
  readonly retention: Retention;
  readonly from?: Date;
  readonly keepsLateFound?: boolean;
  readonly now: Date;
  /** Called before the files of pictures are deleted whose detections stay. */
  readonly onDelete?: (images: readonly ExpiredImage[]) => Promise<void>;
}

/**
 * Deletes old ledger entries whose files are deleted, and not merely unreachable with their disk. While a file exists its entry stays,
 * since it keeps the picture from being processed again. With `DELETE_IMAGES` files are deleted first, each only if it is still the file
 * that was processed, then their entries, so that no file is left without an entry. With `from`, older entries are skipped. A
 * picture whose detections stay, since a rule keeps it for a shorter time than its event, loses its file only.
 */
export async function cleanLedger(
  { db, config, log }: LedgerContext,
  { from, retention, keepsLateFound, onDelete, now }: LedgerCleanup,
  dryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<Files> {
  const roots = rootsOf(config);
  let sum: Files = { files: 0, bytes: 0 };
  for (const camera of await db.query(allCameras)) {
    let last: LedgerPlace | undefined = from && { takenAt: from.toISOString(), imageId: 0 };
    do {
      signal?.throwIfAborted();
      const batch = await db.query((sql) =>
        expiredImages(sql, {
          ...{ cameraId: camera.camera_id, retention, after: last, limit: imagesAtOnce, dryRun },
          deletesFiles: config.deleteImages,
        }),
      );
      if (!dryRun && config.deleteImages) await onDelete?.(batch.filter(({ isUsed }) => isUsed));
      const gone: number[] = [];
      const unlinked: number[] = [];
      // Checked again for each part: disks come and go during a long walk.
      const folderStates: FolderStates = new Map();
      for (const image of batch) {
        const state = await stateOf(image);
        if (state === "gone" && (await confirmDeleted(image, camera.folder_path, folderStates))) gone.push(image.imageId);
        if (state !== "same" || !config.deleteImages || (keepsLateFound && isLateFound(image, retention))) continue;
        const resolved = await resolveInside(roots, image.path);
        if (resolved.state !== "inside") continue;
        try {
          if (!dryRun) await statWithTimeout(dirname(resolved.path), () => unlink(resolved.path));
        } catch (error) {
          log.warn({ path: image.path, error: String(error) }, "an old picture could not be deleted");
          continue;
        }
        sum = together(sum, { files: 1, bytes: image.sizeBytes, scopes: [[image.scope, 1, image.sizeBytes]] });
        gone.push(image.imageId);
        if (image.isUsed) unlinked.push(image.imageId);
      }
      if (!dryRun && gone.length > 0) {
        await db.transaction(async (sql) => {
          await deleteImages(sql, gone);
          if (unlinked.length > 0) await noteDeletedOriginals(sql, unlinked, now);
        });
      }
      last = batch.length === imagesAtOnce ? batch.at(-1) : undefined;
    } while (last);
  }
  return sum;
}

/** The file of an old picture that was found late stays: its time may be wrong, and people need time to see it. */
const isLateFound = ({ foundAt, scope }: ExpiredImage, { scopes, otherwise }: Retention): boolean =>
  foundAt >= (scopes[scope] ?? otherwise).before.originals;

/**
 * Tells whether an entry's file still exists. `gone`: also if it was overwritten, or its name is now a link to another file. `unknown`:
 * no regular file, or not visible; the target of a link is never `same`, so that nothing is deleted through a link.
 */
async function stateOf(image: ExpiredImage): Promise<"same" | "unknown" | "gone"> {
  try {
    const stat = await statWithTimeout(dirname(image.path), () => lstat(image.path, { bigint: true }));
    if (stat.isSymbolicLink()) return await stateOfLink(image, isSame(versionOf(stat), image));
    if (!stat.isFile()) return "unknown";
    return isSame(versionOf(stat), image) ? "same" : "gone";
  } catch (error) {
    return isGone(error) ? "gone" : "unknown";
  }
}

/** `isItself`: the entry is about a link that could not be followed. */
async function stateOfLink(image: ExpiredImage, isItself: boolean): Promise<"unknown" | "gone"> {
  if (isItself) return "unknown";
  try {
    const target = await statWithTimeout(dirname(image.path), () => statFollowed(image.path, { bigint: true }));
    return isSame(versionOf(target), image) ? "unknown" : "gone";
  } catch {
    // The disk of its target may only be unmounted.
    return "unknown";
  }
}
