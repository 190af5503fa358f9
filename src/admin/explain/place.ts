import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type Camera, howToRestore } from "../../monitoring/cameras/camera.ts";
import { inPatternOrder, matchesFilePattern, sharerOf } from "../../monitoring/cameras/file-pattern.ts";
import { folderProblem } from "../../monitoring/cameras/folder.ts";
import { type Resolved, resolveInside } from "../../monitoring/cameras/roots.ts";
import { isIgnoredFolder, isSideFile, kindOf } from "../../monitoring/images/picture.ts";
import { isInside } from "../../platform/disk/files.ts";
import { enter } from "../../platform/disk/folder-access.ts";
import { statWithTimeout } from "../../platform/disk/fs-timeout.ts";

/** Where a path is, as far as homesec may read it. */
export interface Place {
  readonly resolved: Resolved;
  /** The camera whose folder contains it, deleted or not, and the real path of that folder. */
  readonly owner: { readonly camera: Camera; readonly folder: string; readonly real: string } | undefined;
  readonly cameraRoot: string;
}

/** Resolves a path and finds the camera whose folder contains it; for nested folders, the innermost. */
export async function placeOf(path: string, roots: readonly string[], cameraRoot: string, cameras: readonly Camera[]): Promise<Place> {
  const resolved = await resolveInside(roots, path);
  const folders = await Promise.all(
    cameras.map(async (camera) => {
      const folder = resolve(cameraRoot, camera.folder_path);
      return { camera, folder, real: await realOf(folder) };
    }),
  );
  const holding = folders.filter(({ real }) => isInside(real, dirname(resolved.path)));
  const [innermost] = holding.toSorted((a, b) => b.real.length - a.real.length);
  const owner =
    innermost &&
    ownerIn(
      holding.filter(({ real }) => real === innermost.real),
      resolved.path,
    );
  return { resolved, owner, cameraRoot: await realOf(cameraRoot) };
}

type Holding = NonNullable<Place["owner"]>;

/** Of the cameras of one folder, returns the one that takes a file by its pattern, or the first if none does. */
function ownerIn(sharing: readonly Holding[], path: string): Holding | undefined {
  const [first] = sharing;
  const taker = sharerOf(inPatternOrder(sharing.map(({ camera }) => camera)), relative(first?.real ?? "", path));
  return sharing.find(({ camera }) => camera === taker) ?? first;
}

async function realOf(path: string): Promise<string> {
  try {
    return await statWithTimeout(path, () => realpath(path));
  } catch {
    // use the path itself if the folder is missing or does not answer
    return path;
  }
}

/** Returns the folder that keeps homesec from reaching a path: the innermost one above it that can be reached itself. */
export async function closedFolderOf(path: string): Promise<string> {
  const folder = dirname(path);
  if (folder === path) return path;
  return await statWithTimeout(folder, () => realpath(folder)).catch(() => closedFolderOf(folder));
}

/** Returns why a folder cannot be read; undefined for one that can, and for a file. */
export async function folderFault(path: string): Promise<string | undefined> {
  try {
    return await statWithTimeout(path, async () => {
      if ((await stat(path)).isDirectory()) await enter(path);
      return undefined;
    });
  } catch (error) {
    return folderProblem(path, error as NodeJS.ErrnoException);
  }
}

/** The possible recorded paths of the file: as given, and through the folder of its camera. */
export function ledgerPaths(path: string, { resolved, owner }: Place): readonly string[] {
  const own = owner && join(owner.folder, relative(owner.real, resolved.path));
  return [...new Set([path, resolve(path), resolved.path, ...(own === undefined ? [] : [own])])];
}

/** Returns why homesec never reads a file at this place, whatever it contains; undefined when it would. */
export function whyNeverRead(path: string, { resolved, owner, cameraRoot }: Place, roots: readonly string[]): string | undefined {
  if (resolved.state === "outside") {
    return `It is outside of ${roots.join(", ")}: homesec reads only below CAMERA_ROOT and CAMERA_EXTRA_ROOTS.`;
  }
  if (owner?.camera.deleted_at) {
    return `It belongs to the deleted camera ${owner.camera.camera_id}, whose folder homesec no longer reads; ${howToRestore(owner.camera.camera_id)}.`;
  }
  if (!owner && dirname(resolved.path) === cameraRoot) {
    return "It is in the camera root itself. Each camera needs its own folder below it.";
  }
  if (!owner && !isInside(cameraRoot, resolved.path)) {
    return "It is in no camera's folder. Add a camera with `homesec cameras add`.";
  }
  if (owner?.camera.file_pattern && !matchesFilePattern(owner.camera.file_pattern, relative(owner.real, resolved.path))) {
    return `Cameras share its folder, and no file pattern takes it: change one with \`homesec cameras update ${owner.camera.camera_id} --file-pattern PATTERN\`, or add a camera.`;
  }
  const below = relative(owner?.real ?? cameraRoot, dirname(resolved.path)).split(sep);
  const ignored = below.find((name) => name !== "" && isIgnoredFolder(name));
  if (ignored !== undefined) return `homesec ignores folders named ${ignored}.`;
  const name = basename(path);
  switch (kindOf(name)) {
    case "temporary":
      return "Its name marks it as unfinished (a leading dot, ~, .tmp, .part, .filepart). homesec processes it when it is renamed.";
    case "other":
      return isSideFile(name)
        ? "Its name is not that of a picture or a video, so homesec does not read its content. It reads names with an unknown ending, or none."
        : undefined;
    default:
      return undefined;
  }
}
