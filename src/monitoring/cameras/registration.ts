import { join } from "node:path";
import type { Database, Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { automatic } from "../camera-times/file-name-time.ts";
import { type Camera, numberedName, numberedSlug, slugOf } from "./camera.ts";
import { allCameras, findCameraByFolder, findConflict, insertCamera, lockIdentities } from "./cameras-repository.ts";
import { withSameFolder } from "./folder.ts";
import { cameraChanged } from "./status.ts";

/** The camera of a folder, and whether it is new. */
export interface Registration {
  readonly camera: Camera;
  readonly created: boolean;
}

/**
 * Returns the camera whose folder is `folderName` in `CAMERA_ROOT`, and registers it under the name of the folder if there is none. A
 * deleted camera is returned as it is (`deleted_at` is set): its folder must not be read. Concurrent callers get the same camera.
 */
export async function ensureCameraForFolder(
  db: Database,
  folderName: string,
  { cameraRoot, now }: { readonly cameraRoot: string; readonly now: Date },
): Promise<Registration> {
  const folderPath = join(cameraRoot, folderName);
  const { own, all } = await db.query(async (sql) => ({ own: await findCameraByFolder(sql, folderPath), all: await allCameras(sql) }));
  const known = own ?? (await withSameFolder(all, folderPath));
  if (known) return { camera: known, created: false };
  return await db.transaction(async (sql) => {
    await lockIdentities(sql);
    const meanwhile = await findCameraByFolder(sql, folderPath);
    if (meanwhile) return { camera: meanwhile, created: false };
    const identity = await freeIdentity(sql, folderName, folderPath);
    // The caller has found a picture in the folder, so the folder is readable.
    const camera = await insertCamera(
      sql,
      { ...identity, status: "unknown", reason: null, time_zone: null, time_template: automatic },
      now,
    );
    await appendToJournal(sql, [cameraChanged(camera, null, null)], now);
    return { camera, created: true };
  });
}

/** Returns the first free id and name, numbered from 2 if necessary. */
async function freeIdentity(sql: Sql, folderName: string, folderPath: string) {
  const slug = slugOf(folderName);
  for (let n = 1; ; n += 1) {
    const identity = { camera_id: numberedSlug(slug, n), name: numberedName(folderName, n), folder_path: folderPath, file_pattern: null };
    if (!(await findConflict(sql, identity))) return identity;
  }
}
