import type { RestoreReport } from "../../src/admin/backup/restore.ts";
import { pluralize } from "../../src/base/text/format.ts";
import { liveCameras } from "../../src/monitoring/cameras/cameras-repository.ts";
import { adoptStoredRoot } from "../../src/monitoring/cameras/relative-paths.ts";
import { resolveInside, rootsOf } from "../../src/monitoring/cameras/roots.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** Says that the backup lacks the key file, which decrypts its secrets. */
export function keyNote(secretKeyPath: string): string {
  return `The backup does not include the key file ${secretKeyPath}. Keep a copy of it elsewhere; without it, webhook secrets cannot be decrypted.`;
}

/** Says that the backup lacks pictures and thumbnails. */
export function pictureNote({ cameraRoot, dataDir }: Pick<Config, "cameraRoot" | "dataDir">): string {
  return `It does not include pictures (${cameraRoot}) and thumbnails (${dataDir}/thumbnails) either. homesec recreates thumbnails from pictures.`;
}

/** Says what to copy besides the backup, which cameras are outside of the folders of this machine, and what is held back. */
export async function restoredNotes(
  { secretKeyPath, cameraRoot, cameraExtraRoots }: Pick<Config, "secretKeyPath" | "cameraRoot" | "cameraExtraRoots">,
  db: Database,
  { held }: Pick<RestoreReport, "held">,
): Promise<readonly string[]> {
  const roots = rootsOf({ cameraRoot, cameraExtraRoots });
  await adoptStoredRoot(db);
  const cameras = await db.query(liveCameras);
  const resolved = await Promise.all(cameras.map(({ folder_path }) => resolveInside(roots, folder_path)));
  const outside = cameras.filter((_, at) => resolved[at]?.state === "outside");
  return [
    `The backup did not include the key file. Copy yours to ${secretKeyPath}; without it, webhook secrets cannot be decrypted.`,
    `It did not include pictures either. Copy yours to ${roots.join(" or ")} before you start the daemon, and keep their times (cp -a, rsync -a); homesec recreates the thumbnails.`,
    ...(outside.length === 0
      ? []
      : [
          `These cameras are outside of ${roots.join(" and ")}; before you start the daemon, add their folders to CAMERA_EXTRA_ROOTS, or name the old CAMERA_ROOT with --former-camera-root: ${outside.map(({ camera_id, folder_path }) => `${camera_id} (${folder_path})`).join(", ")}.`,
        ]),
    ...(held === 0
      ? []
      : [
          `${pluralize(held, "outstanding message")} ${held === 1 ? "is" : "are"} held back: \`homesec dlq list deliver\` lists, \`homesec dlq requeue deliver\` sends, and \`homesec dlq purge deliver\` discards them.`,
        ]),
  ];
}
