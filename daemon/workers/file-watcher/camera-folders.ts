import { constants } from "node:fs";
import { access, readdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isInside } from "../../../src/images/look.ts";
import { isRecorded, kindOf } from "../../../src/images/picture.ts";

/** What the watcher needs to know of a camera. */
export interface WatchedCamera {
  readonly camera_id: string;
  readonly folder_path: string;
  readonly deleted: boolean;
  readonly status: string;
}

/** A folder to watch. */
export interface PlannedTree {
  readonly path: string;
  /** Absent: a first-level folder of the camera root without a camera, which gets one with its first picture. */
  readonly cameraId: string | undefined;
  /** Folders below that belong to other cameras, deleted ones included; as paths that start with `path`. */
  readonly foreign: readonly string[];
}

/** What to watch, and which cameras cannot be. */
export interface WatchPlan {
  readonly trees: readonly PlannedTree[];
  readonly problems: ReadonlyMap<string, string>;
  /** Pictures that lie in the camera root itself. */
  readonly strayPictures: readonly string[];
  /** Folders, real, that may be read. */
  readonly roots: readonly string[];
}

/** Decides which folders to watch for which camera. Never throws for what is wrong with a folder: that is a problem of its camera. */
export async function planFolders(
  cameras: readonly WatchedCamera[],
  cameraRoot: string,
  extraRoots: readonly string[],
): Promise<WatchPlan> {
  const roots = (await Promise.all([cameraRoot, ...extraRoots].map(realOrNothing))).filter((root) => root !== undefined);
  const problems = new Map<string, string>();
  const owned: { readonly camera: WatchedCamera; readonly path: string; readonly real: string }[] = [];
  for (const camera of cameras) {
    const path = resolve(cameraRoot, camera.folder_path);
    const folder = await resolveFolder(path, roots);
    if ("problem" in folder) {
      if (!camera.deleted) problems.set(camera.camera_id, folder.problem);
      continue;
    }
    const other = owned.find((entry) => entry.real === folder.real);
    if (other && !camera.deleted)
      problems.set(camera.camera_id, `the folder is also that of camera ${other.camera.camera_id}; give each its own`);
    else owned.push({ camera, path, real: folder.real });
  }

  const tree = (path: string, real: string, cameraId: string | undefined): PlannedTree => ({
    path,
    cameraId,
    foreign: owned
      .filter((entry) => entry.real.startsWith(`${real}/`))
      .map((entry) => path + entry.real.slice(real.length))
      .sort(),
  });
  const trees = owned.filter(({ camera }) => !camera.deleted).map(({ camera, path, real }) => tree(path, real, camera.camera_id));
  const unowned = await listRoot(cameraRoot, owned);
  return {
    trees: [...trees, ...unowned.folders.map(({ path, real }) => tree(path, real, undefined))],
    problems,
    strayPictures: unowned.pictures,
    roots,
  };
}

async function realOrNothing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code) return undefined;
    throw error;
  }
}

async function resolveFolder(path: string, roots: readonly string[]): Promise<{ readonly real: string } | { readonly problem: string }> {
  try {
    const real = await realpath(path);
    if (!isInside(real, roots)) {
      return {
        problem: `the folder ${real} is outside of the allowed folders; add it to CAMERA_EXTRA_ROOTS, or change the camera's folder`,
      };
    }
    if (!(await stat(real)).isDirectory()) return { problem: `${path} is not a folder` };
    await access(real, constants.R_OK | constants.X_OK);
    return { real };
  } catch (error) {
    return { problem: folderProblem(path, error as NodeJS.ErrnoException) };
  }
}

/** Says what is wrong with a folder, and what to do. */
export function folderProblem(path: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return `the folder ${path} does not exist; create it, mount its disk, or change the camera's folder`;
    case "EACCES":
    case "EPERM":
      return `the folder ${path} cannot be read; give the user that runs homesec the right to`;
    default:
      return `the folder ${path} cannot be read: ${error.message}`;
  }
}

async function listRoot(
  cameraRoot: string,
  owned: readonly { readonly real: string }[],
): Promise<{ readonly folders: readonly { readonly path: string; readonly real: string }[]; readonly pictures: readonly string[] }> {
  const root = await realOrNothing(cameraRoot);
  // when the whole root is one camera's, nothing in it is without an owner
  if (root === undefined || owned.some((entry) => isInside(root, [entry.real]))) return { folders: [], pictures: [] };
  const folders: { path: string; real: string }[] = [];
  const pictures: string[] = [];
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const path = join(cameraRoot, entry.name);
    if (entry.name.startsWith(".")) continue;
    if (entry.isFile() && isRecorded(kindOf(entry.name))) pictures.push(path);
    if (!entry.isDirectory() && !entry.isSymbolicLink()) continue;
    const real = await realOrNothing(path);
    if (real === undefined || !isInside(real, [root]) || owned.some((other) => other.real === real)) continue;
    if ((await stat(real)).isDirectory()) folders.push({ path, real });
  }
  return { folders, pictures };
}
