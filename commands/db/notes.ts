import { basename, join } from "node:path";
import { pluralize } from "../../src/base/text/pluralize.ts";
import { shellWord } from "../../src/base/text/shell-word.ts";
import { liveCameras } from "../../src/monitoring/cameras/cameras-repository.ts";
import { resolveInside, rootsOf } from "../../src/monitoring/cameras/roots.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { GlobalOptions } from "../io.ts";

/** What a backup lacks to open the secrets in it. */
export function keyNote(secretKeyPath: string): string {
  return `The key file is not in the backup: ${secretKeyPath}. Keep a copy of it in another place; without it the secrets of webhooks stay closed.`;
}

/** What a backup lacks to show pictures. */
export function pictureNote({ cameraRoot, dataDir }: Pick<Config, "cameraRoot" | "dataDir">): string {
  return `Pictures (${cameraRoot}) and thumbnails (${dataDir}/thumbnails) are not in it either: thumbnails are made again as long as their pictures are there.`;
}

/** What has to be brought to a restored home beside its backup, and what has to be done before its start. */
export async function restoredNotes(
  { secretKeyPath, cameraRoot, cameraExtraRoots }: Pick<Config, "secretKeyPath" | "cameraRoot" | "cameraExtraRoots">,
  db: Database,
  global: Pick<GlobalOptions, "config" | "dataDir">,
): Promise<readonly string[]> {
  const roots = rootsOf({ cameraRoot, cameraExtraRoots });
  const cameras = await db.query(liveCameras);
  const resolved = await Promise.all(cameras.map(({ folder_path }) => resolveInside(roots, folder_path)));
  const outside = cameras.filter((_, at) => resolved[at]?.state === "outside");
  const key = `The key file was not in the backup: put your copy of it at ${secretKeyPath}; without it the secrets of webhooks stay closed.`;
  if (outside.length === 0) {
    return [
      key,
      `Pictures were not in it either: those that you have kept go into ${roots.join(" or ")}, and their thumbnails are made again.`,
    ];
  }
  const names = outside.map(({ folder_path }) => basename(folder_path));
  // no two cameras can have one folder
  const folderOf = ({ camera_id, folder_path }: (typeof outside)[number]): string => {
    const name = basename(folder_path);
    return join(cameraRoot, names.filter((other) => other === name).length > 1 ? camera_id : name);
  };
  const homesec = ["homesec", ...given("--config", global.config), ...given("--data-dir", global.dataDir), "--direct"].join(" ");
  return [
    key,
    `Pictures were not in it either, and ${pluralize(outside.length, "camera")} had ${outside.length === 1 ? "a folder" : "folders"} outside of CAMERA_ROOT and CAMERA_EXTRA_ROOTS (${roots.join(", ")}).`,
    "Correct CAMERA_ROOT if it is another one. Otherwise, before the start, or each gets a second camera for its new folder:",
    ...outside.map(
      (camera) =>
        `  ${homesec} cameras update ${camera.camera_id} --folder-path ${shellWord(folderOf(camera))}     # was ${camera.folder_path}`,
    ),
    "Then put the pictures that you have kept there, with their times (mv, cp -a): what was looked at is not looked at again, unless it is still at its old place too.",
  ];
}

function given(option: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [option, shellWord(value)];
}
