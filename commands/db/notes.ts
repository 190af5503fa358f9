import { basename, join } from "node:path";
import { pluralize, shellWord } from "../../src/base/text/format.ts";
import { liveCameras } from "../../src/monitoring/cameras/cameras-repository.ts";
import { resolveInside, rootsOf } from "../../src/monitoring/cameras/roots.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { GlobalOptions } from "../io.ts";

/** Says that the backup lacks the key file, which decrypts its secrets. */
export function keyNote(secretKeyPath: string): string {
  return `The backup does not include the key file ${secretKeyPath}. Keep a copy of it elsewhere; without it, webhook secrets cannot be decrypted.`;
}

/** Says that the backup lacks pictures and thumbnails. */
export function pictureNote({ cameraRoot, dataDir }: Pick<Config, "cameraRoot" | "dataDir">): string {
  return `It does not include pictures (${cameraRoot}) and thumbnails (${dataDir}/thumbnails) either. homesec recreates thumbnails from pictures.`;
}

/** Says what to copy besides the backup, and what to do before the daemon starts. */
export async function restoredNotes(
  { secretKeyPath, cameraRoot, cameraExtraRoots }: Pick<Config, "secretKeyPath" | "cameraRoot" | "cameraExtraRoots">,
  db: Database,
  global: Pick<GlobalOptions, "config" | "dataDir">,
): Promise<readonly string[]> {
  const roots = rootsOf({ cameraRoot, cameraExtraRoots });
  const cameras = await db.query(liveCameras);
  const resolved = await Promise.all(cameras.map(({ folder_path }) => resolveInside(roots, folder_path)));
  const outside = cameras.filter((_, at) => resolved[at]?.state === "outside");
  const key = `The backup did not include the key file. Copy yours to ${secretKeyPath}; without it, webhook secrets cannot be decrypted.`;
  if (outside.length === 0) {
    return [key, `It did not include pictures either. Copy yours to ${roots.join(" or ")}; homesec recreates the thumbnails.`];
  }
  const names = outside.map(({ folder_path }) => basename(folder_path));
  // Two cameras cannot share a folder
  const folderOf = ({ camera_id, folder_path }: (typeof outside)[number]): string => {
    const name = basename(folder_path);
    return join(cameraRoot, names.filter((other) => other === name).length > 1 ? camera_id : name);
  };
  const homesec = ["homesec", ...given("--config", global.config), ...given("--data-dir", global.dataDir), "--direct"].join(" ");
  return [
    key,
    `It did not include pictures either, and ${pluralize(outside.length, "camera")} had ${outside.length === 1 ? "a folder" : "folders"} outside CAMERA_ROOT and CAMERA_EXTRA_ROOTS (${roots.join(", ")}).`,
    "If CAMERA_ROOT is wrong, correct it. Otherwise run this before you start the daemon, or each new folder becomes a second camera:",
    ...outside.map(
      (camera) =>
        `  ${homesec} cameras update ${camera.camera_id} --folder-path ${shellWord(folderOf(camera))}     # was ${camera.folder_path}`,
    ),
    "Then copy your pictures there and keep their times (mv, cp -a). homesec processes each picture once, unless it also stays in its old folder.",
  ];
}

function given(option: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [option, shellWord(value)];
}
