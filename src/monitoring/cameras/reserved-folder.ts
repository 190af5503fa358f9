import { join } from "node:path";
import type { Config } from "../../platform/config/config.ts";
import { isInside } from "../../platform/disk/files.ts";
import { resolveInside, rootsOf } from "./roots.ts";

type Folders = Pick<Config, "cameraRoot" | "cameraExtraRoots" | "dataDir">;

/** Names of the folders in DATA_DIR that homesec writes itself. */
const ownNames = ["logs", "postgres", "postgresql", "run", "selftest", "thumbnails", "tls"];

/** Returns the folders with homesec's own files. No picture in them is a camera's: thumbnails would be processed, and make new ones. */
export function ownFoldersOf({ cameraRoot, dataDir }: Pick<Config, "cameraRoot" | "dataDir">): readonly string[] {
  return isInside(dataDir, cameraRoot) ? ownNames.map((name) => join(dataDir, name)) : [dataDir];
}

/**
 * Returns why a folder cannot be that of one camera, with the fix, to follow "The folder"; undefined if it can. Links are resolved. A
 * folder outside of all roots is never read, so it takes nothing from other cameras.
 */
export async function whyReserved(folders: Folders, folderPath: string): Promise<string | undefined> {
  const { cameraRoot, dataDir } = folders;
  const folder = await resolveInside(rootsOf(folders), folderPath);
  if (folder.state === "outside") return undefined;
  const [root, ...own] = await Promise.all([cameraRoot, ...ownFoldersOf(folders)].map(realPathOf));
  const example = join(cameraRoot, "yard");
  if (folder.path === root) {
    return `is CAMERA_ROOT itself, in which each folder belongs to a camera of its own; use a folder in it, such as ${example}`;
  }
  if (root !== undefined && isInside(folder.path, root)) {
    return `contains CAMERA_ROOT (${cameraRoot}), in which each folder belongs to a camera of its own; use a folder in it, such as ${example}`;
  }
  if (own.some((one) => isInside(folder.path, one) || isInside(one, folder.path))) {
    return `holds files of homesec itself (DATA_DIR is ${dataDir}); use another folder, such as ${example}`;
  }
  return undefined;
}

async function realPathOf(path: string): Promise<string> {
  return (await resolveInside([path], path)).path;
}
