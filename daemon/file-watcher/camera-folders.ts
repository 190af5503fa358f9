import { constants, type Dirent } from "node:fs";
import { access, readdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isOutsideOf } from "../../src/monitoring/cameras/folder.ts";
import { isInside } from "../../src/monitoring/images/look.ts";
import { isIgnoredFolder, isRecorded, kindOf } from "../../src/monitoring/images/picture.ts";
import { noteReal, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { NoAnswer } from "../../src/platform/disk/no-answer.ts";

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
  /** Of the camera root and the extra roots those that do not answer, as they were given. */
  readonly silentRoots: readonly string[];
  /** Folders in the camera root that do not answer and belong to no camera. */
  readonly silentFolders: readonly string[];
}

/**
 * Decides which folders to watch for which camera. Never throws for what is wrong with a folder: that is a problem of its camera. Waits for
 * none that does not answer.
 */
export async function planFolders(
  cameras: readonly WatchedCamera[],
  cameraRoot: string,
  extraRoots: readonly string[],
): Promise<WatchPlan> {
  const wide = [cameraRoot, ...extraRoots];
  const found = await Promise.all(wide.map((path) => statWithTimeout(path, () => realOrNothing(path)).catch(silentOr)));
  const roots = found.filter((root) => root !== undefined && root !== silent);
  const silentRoots = wide.filter((_, at) => found[at] === silent);
  for (const [at, real] of found.entries()) if (typeof real === "string") noteReal(resolve(wide[at] as string), real);
  const paths = cameras.map((camera) => resolve(cameraRoot, camera.folder_path));
  // what lies in a root that does not answer is not asked: it would not either
  const folders = await Promise.all(
    paths.map((path) => (isInside(path, silentRoots) ? { problem: silentProblem(path) } : resolveFolder(path, roots))),
  );
  const problems = new Map<string, string>();
  const owned: { readonly camera: WatchedCamera; readonly path: string; readonly real: string }[] = [];
  /** Folders of cameras that are not there or do not answer now. What comes to them is not that of a camera above when they do. */
  const awaited: string[] = [];
  for (const [at, camera] of cameras.entries()) {
    const [path, folder] = [paths[at] as string, folders[at] as ResolvedFolder];
    if ("real" in folder) noteReal(path, folder.real);
    if ("problem" in folder) {
      if (!camera.deleted) problems.set(camera.camera_id, folder.problem);
      awaited.push(path);
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
    foreign: [
      ...owned.filter((entry) => entry.real.startsWith(`${real}/`)).map((entry) => path + entry.real.slice(real.length)),
      ...awaited.filter((other) => other.startsWith(`${path}/`)),
    ].sort(),
  });
  const trees = owned.filter(({ camera }) => !camera.deleted).map(({ camera, path, real }) => tree(path, real, camera.camera_id));
  const unowned = await listRoot(cameraRoot, new Set(paths), owned);
  return {
    trees: [...trees, ...unowned.folders.map(({ path, real }) => tree(path, real, undefined))],
    problems,
    strayPictures: unowned.pictures,
    roots,
    silentRoots: unowned.isSilent ? [...new Set([...silentRoots, cameraRoot])] : silentRoots,
    silentFolders: unowned.silent,
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

const silent = Symbol("does not answer");

function silentOr(error: unknown): typeof silent {
  if (error instanceof NoAnswer) return silent;
  throw error;
}

type ResolvedFolder = { readonly real: string } | { readonly problem: string };

async function resolveFolder(path: string, roots: readonly string[]): Promise<ResolvedFolder> {
  try {
    return await statWithTimeout(path, async () => {
      const real = await realpath(path);
      if (!isInside(real, roots)) return { problem: `the folder ${real} ${isOutsideOf(roots)}` };
      if (!(await stat(real)).isDirectory()) return { problem: `${path} is not a folder` };
      await access(real, constants.R_OK | constants.X_OK);
      return { real };
    });
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
    case "ETIMEDOUT":
      return silentProblem(path);
    default:
      return `the folder ${path} cannot be read: ${error.message}`;
  }
}

function silentProblem(path: string): string {
  return `the folder ${path} does not answer; bring its disk or share back, and it is taken up by itself`;
}

interface Unowned {
  readonly folders: readonly { readonly path: string; readonly real: string }[];
  readonly pictures: readonly string[];
  /** The root does not answer. */
  readonly isSilent: boolean;
  /** Folders in it that do not answer. */
  readonly silent: readonly string[];
}

/** What is in the camera root. The folders of cameras, `paths`, were asked already, and each that hangs takes its time. */
async function listRoot(cameraRoot: string, paths: ReadonlySet<string>, owned: readonly { readonly real: string }[]): Promise<Unowned> {
  const nothing: Unowned = { folders: [], pictures: [], isSilent: false, silent: [] };
  const listed = await statWithTimeout(cameraRoot, async () => {
    const root = await realOrNothing(cameraRoot);
    return root === undefined ? undefined : { root, entries: await readdir(root, { withFileTypes: true }) };
  }).catch(silentOr);
  if (listed === silent) return { ...nothing, isSilent: true };
  // when the whole root is one camera's, nothing in it is without an owner
  if (listed === undefined || owned.some((entry) => isInside(listed.root, [entry.real]))) return nothing;
  // a share that is the camera root has the recycle bin of its server in it
  const entries = listed.entries.filter(({ name }) => !isIgnoredFolder(name));
  const pathOf = (entry: Dirent): string => join(cameraRoot, entry.name);
  const found = await Promise.all(
    entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !paths.has(pathOf(entry)))
      .map(async (entry) => {
        const path = pathOf(entry);
        const real = await statWithTimeout(path, () => realFolder(path)).catch(silentOr);
        return { path, real };
      }),
  );
  return {
    folders: found.flatMap(({ path, real }) => {
      const isUnowned = typeof real === "string" && isInside(real, [listed.root]) && !owned.some((other) => other.real === real);
      return isUnowned ? [{ path, real }] : [];
    }),
    pictures: entries.filter((entry) => entry.isFile() && isRecorded(kindOf(entry.name))).map(pathOf),
    isSilent: false,
    silent: found.filter(({ real }) => real === silent).map(({ path }) => path),
  };
}

async function realFolder(path: string): Promise<string | undefined> {
  const real = await realOrNothing(path);
  return real !== undefined && (await stat(real)).isDirectory() ? real : undefined;
}
