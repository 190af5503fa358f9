import { constants, type Dirent } from "node:fs";
import { access, readdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { inPatternOrder, samePattern } from "../../src/monitoring/cameras/file-pattern.ts";
import { folderProblem, isOutsideOf, silentProblem } from "../../src/monitoring/cameras/folder.ts";
import { isInside } from "../../src/monitoring/images/inspect-file.ts";
import { isIgnoredFolder, isRecorded, isSideFile, kindOf } from "../../src/monitoring/images/picture.ts";
import { isGone, NoAnswer } from "../../src/platform/disk/files.ts";
import { recordRealPath, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";

/** A camera as the watcher needs it. */
export interface WatchedCamera {
  readonly camera_id: string;
  readonly folder_path: string;
  readonly deleted: boolean;
  readonly status: string;
  /** The zone of its clock; null for that of the daemon. */
  readonly time_zone: string | null;
  /** How the names of its files state their time. */
  readonly time_template: string;
  /** The files of a shared folder that it takes; null for those that no pattern takes. */
  readonly file_pattern: string | null;
}

/** A folder to watch. */
export interface PlannedTree {
  readonly path: string;
  readonly real: string;
  /** Undefined for a first-level folder of the camera root without a camera, which gets one with its first picture. */
  readonly cameraId: string | undefined;
  /** If files are assigned by patterns: the cameras of the folder, deleted ones included, in pattern order; `cameraId` is one of them. */
  readonly sharers: readonly WatchedCamera[];
  /** Folders below that belong to other cameras, deleted ones included, or to homesec, as paths that start with `path`. */
  readonly foreign: readonly string[];
  /** The folder is the camera root: only the files directly in it belong to this camera, and each folder in it to another one. */
  readonly filesOnly: boolean;
}

/** Folders to watch, and cameras that cannot be watched. */
export interface WatchPlan {
  readonly trees: readonly PlannedTree[];
  readonly problems: ReadonlyMap<string, string>;
  /** Files in the camera root itself that may be pictures and belong to no camera. */
  readonly strayFiles: readonly string[];
  /** Links in the camera root to folders outside of it, with their targets; undefined for those that lead nowhere. */
  readonly links: readonly { readonly path: string; readonly target: string | undefined }[];
  /** The camera root, or entries of it, that cannot be read, with the errors. */
  readonly faults: readonly { readonly path: string; readonly error: NodeJS.ErrnoException }[];
  /** Real paths of the folders that may be read. */
  readonly roots: readonly string[];
  /** The camera root and extra roots that do not answer, as configured. */
  readonly silentRoots: readonly string[];
  /** Folders in the camera root that do not answer and belong to no camera. */
  readonly silentFolders: readonly string[];
}

/**
 * Decides which folders to watch, and for what camera. A faulty folder becomes a problem of its camera, never an exception. Does not wait for a
 * folder that does not answer.
 */
export async function planFolders(
  cameras: readonly WatchedCamera[],
  {
    cameraRoot,
    extraRoots,
    ownFolders,
  }: {
    readonly cameraRoot: string;
    readonly extraRoots: readonly string[];
    /** Folders with homesec's own files. */
    readonly ownFolders: readonly string[];
  },
): Promise<WatchPlan> {
  const wide = [cameraRoot, ...extraRoots];
  const found = await Promise.all(wide.map((path) => statWithTimeout(path, () => realOrNothing(path)).catch(silentOr)));
  const roots = found.filter((root) => root !== undefined && root !== silent);
  const silentRoots = wide.filter((_, at) => found[at] === silent);
  for (const [at, real] of found.entries()) if (typeof real === "string") recordRealPath(resolve(wide[at] as string), real);
  const paths = cameras.map((camera) => resolve(cameraRoot, camera.folder_path));
  // folders in a root that does not answer would not answer either
  const folders = await Promise.all(
    paths.map((path) => (isInside(path, silentRoots) ? { problem: silentProblem(path) } : resolveFolder(path, roots))),
  );
  const { owned, awaited, problems } = assign(cameras, paths, folders);
  const root = typeof found[0] === "string" ? found[0] : undefined;
  const own = await Promise.all(
    ownFolders.map(async (path) => (await statWithTimeout(path, () => realOrNothing(path)).catch(() => path)) ?? path),
  );
  const taken = [...owned.map((entry) => entry.real), ...own];
  const tree = (path: string, real: string, owners: readonly WatchedCamera[]): PlannedTree => ({
    path,
    real,
    cameraId: owners.find(({ deleted }) => !deleted)?.camera_id,
    sharers: owners.some(({ file_pattern }) => file_pattern !== null) ? inPatternOrder(owners) : [],
    filesOnly: real === root,
    // a camera whose folder contains the camera root, as earlier versions accepted, leaves the root to its cameras
    foreign: [
      ...[...taken, ...(root === undefined ? [] : [root])]
        .filter((other) => other.startsWith(`${real}/`))
        .map((other) => path + other.slice(real.length)),
      ...awaited.filter((other) => other.startsWith(`${path}/`)),
    ].sort(),
  });
  const trees = owned
    .filter(({ owners }) => owners.some(({ deleted }) => !deleted))
    .map(({ owners, path, real }) => tree(path, real, owners));
  const unowned = await listRoot(cameraRoot, new Set(paths), new Set(taken));
  return {
    trees: [...trees, ...unowned.folders.map(({ path, real }) => tree(path, real, []))],
    problems,
    strayFiles: trees.some(({ filesOnly }) => filesOnly) ? [] : unowned.files,
    links: unowned.links,
    faults: unowned.faults,
    roots,
    silentRoots: unowned.isSilent ? [...new Set([...silentRoots, cameraRoot])] : silentRoots,
    silentFolders: unowned.silent,
  };
}

interface Assigned {
  readonly owned: readonly { readonly owners: readonly WatchedCamera[]; readonly path: string; readonly real: string }[];
  /** Camera folders that are missing or do not answer. Their pictures must not go to a camera of a folder above when they return. */
  readonly awaited: readonly string[];
  readonly problems: ReadonlyMap<string, string>;
}

/** Assigns folders to their cameras. Of two cameras with the same folder and the same file pattern, the first owns it. */
function assign(cameras: readonly WatchedCamera[], paths: readonly string[], folders: readonly ResolvedFolder[]): Assigned {
  const problems = new Map<string, string>();
  const owned: { owners: WatchedCamera[]; path: string; real: string }[] = [];
  const awaited: string[] = [];
  for (const [at, camera] of cameras.entries()) {
    const [path, folder] = [paths[at] as string, folders[at] as ResolvedFolder];
    if ("real" in folder) recordRealPath(path, folder.real);
    if ("problem" in folder) {
      if (!camera.deleted) problems.set(camera.camera_id, folder.problem);
      awaited.push(path);
      continue;
    }
    const known = owned.find((entry) => entry.real === folder.real);
    const other = known?.owners.find(({ file_pattern }) => samePattern(file_pattern, camera.file_pattern));
    if (other && !camera.deleted)
      problems.set(camera.camera_id, `the folder is also that of camera ${other.camera_id}; give each its own, or a file pattern`);
    else if (known && !other) known.owners.push(camera);
    else if (!known) owned.push({ owners: [camera], path, real: folder.real });
  }
  return { owned, awaited, problems };
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

interface Unowned extends Pick<WatchPlan, "links" | "faults"> {
  readonly folders: readonly { readonly path: string; readonly real: string }[];
  readonly files: readonly string[];
  /** Whether the root itself does not answer. */
  readonly isSilent: boolean;
  /** Folders in it that do not answer. */
  readonly silent: readonly string[];
}

/**
 * Lists the camera root. Skips `paths`, the folders of cameras, which were checked already: each that hangs would cost its timeout again.
 * `taken` are the real paths that belong to cameras or to homesec.
 */
async function listRoot(cameraRoot: string, paths: ReadonlySet<string>, taken: ReadonlySet<string>): Promise<Unowned> {
  const nothing: Unowned = { folders: [], files: [], links: [], faults: [], isSilent: false, silent: [] };
  const listed = await statWithTimeout(cameraRoot, async () => {
    const root = await realpath(cameraRoot);
    return { root, entries: await readdir(root, { withFileTypes: true }) };
  }).catch((error: unknown) => (isGone(error) ? undefined : faultOr(error)));
  if (listed === silent) return { ...nothing, isSilent: true };
  if (listed && "error" in listed) return { ...nothing, faults: [{ path: cameraRoot, error: listed.error }] };
  if (listed === undefined) return nothing;
  // a share used as the camera root contains the recycle bin of its server
  const entries = listed.entries.filter(({ name }) => !isIgnoredFolder(name));
  const pathOf = (entry: Dirent): string => join(cameraRoot, entry.name);
  const found = await Promise.all(
    entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !paths.has(pathOf(entry)))
      .map(async (entry) => {
        const path = pathOf(entry);
        const real = await statWithTimeout(path, () => realFolder(path)).catch(faultOr);
        return { path, real, isLink: entry.isSymbolicLink() };
      }),
  );
  return {
    folders: found.flatMap(({ path, real }) => {
      // a link to the root itself would take the pictures of every camera
      const isBelow = typeof real === "string" && real !== listed.root && isInside(real, [listed.root]);
      return isBelow && !taken.has(real) ? [{ path, real }] : [];
    }),
    files: entries.filter((entry) => entry.isFile() && mayBePicture(entry.name)).map(pathOf),
    links: found.flatMap(({ path, real, isLink }) => {
      if (!isLink || (typeof real !== "string" && real !== null)) return [];
      return real === null || !isInside(real, [listed.root]) ? [{ path, target: real ?? undefined }] : [];
    }),
    faults: found.flatMap(({ path, real }) => (typeof real === "object" && real !== null ? [{ path, error: real.error }] : [])),
    isSilent: false,
    silent: found.filter(({ real }) => real === silent).map(({ path }) => path),
  };
}

const mayBePicture = (name: string): boolean => isRecorded(kindOf(name)) || (kindOf(name) === "other" && !isSideFile(name));

/** Returns the real path of a folder, null for a link that leads nowhere, and undefined for a link to a file. */
async function realFolder(path: string): Promise<string | null | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch (error) {
    if (isGone(error) || (error as NodeJS.ErrnoException).code === "ELOOP") return null;
    throw error;
  }
}

/** A folder that does not answer, or cannot be read, with the error. */
function faultOr(error: unknown): typeof silent | { readonly error: NodeJS.ErrnoException } {
  if (error instanceof NoAnswer) return silent;
  if ((error as NodeJS.ErrnoException).code) return { error: error as NodeJS.ErrnoException };
  throw error;
}
