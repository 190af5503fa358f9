import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type Camera, howToRestore } from "../../monitoring/cameras/camera.ts";
import { type Resolved, resolveInside } from "../../monitoring/cameras/roots.ts";
import { isIgnoredFolder, kindOf } from "../../monitoring/images/picture.ts";
import { statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { isInside } from "../../platform/disk/inside.ts";

/** Where a path lies, as far as homesec may look. */
export interface Place {
  readonly resolved: Resolved;
  /** The camera whose folder holds it, deleted or not, with that folder as it really is. */
  readonly owner: { readonly camera: Camera; readonly folder: string; readonly real: string } | undefined;
  readonly cameraRoot: string;
}

/** Follows a path, and finds the camera whose folder holds it; of folders within folders the innermost. */
export async function placeOf(path: string, roots: readonly string[], cameraRoot: string, cameras: readonly Camera[]): Promise<Place> {
  const resolved = await resolveInside(roots, path);
  const folders = await Promise.all(
    cameras.map(async (camera) => {
      const folder = resolve(cameraRoot, camera.folder_path);
      return { camera, folder, real: await followed(folder) };
    }),
  );
  const holding = folders.filter(({ real }) => isInside(real, dirname(resolved.path)));
  const owner = holding.toSorted((a, b) => b.real.length - a.real.length)[0];
  return { resolved, owner, cameraRoot: await followed(cameraRoot) };
}

async function followed(path: string): Promise<string> {
  try {
    return await statWithTimeout(path, () => realpath(path));
  } catch {
    // a folder that is gone, or does not answer, keeps its name
    return path;
  }
}

/** The names under which the ledger may know the path: as it was given, and through the folder of its camera. */
export function ledgerPaths(path: string, { resolved, owner }: Place): readonly string[] {
  const own = owner && join(owner.folder, relative(owner.real, resolved.path));
  return [...new Set([path, resolve(path), resolved.path, ...(own === undefined ? [] : [own])])];
}

/** Why a file at this place is never looked at, whatever it holds; undefined when it would be. */
export function whyNeverRead(path: string, { resolved, owner, cameraRoot }: Place, roots: readonly string[]): string | undefined {
  if (resolved.state === "outside") {
    return `It lies outside of ${roots.join(", ")}: homesec reads only below CAMERA_ROOT and CAMERA_EXTRA_ROOTS.`;
  }
  if (owner?.camera.deleted_at) {
    return `It belongs to the deleted camera ${owner.camera.camera_id}, whose folder is not read; ${howToRestore(owner.camera.camera_id)}.`;
  }
  if (!owner && dirname(resolved.path) === cameraRoot) {
    return "It lies in the camera root itself. Each camera uploads into a folder of its own below it.";
  }
  if (!owner && !isInside(cameraRoot, resolved.path)) {
    return "No camera has a folder that holds it. `homesec cameras add` makes one.";
  }
  const below = relative(owner?.real ?? cameraRoot, dirname(resolved.path)).split(sep);
  const ignored = below.find((name) => name !== "" && isIgnoredFolder(name));
  if (ignored !== undefined) return `Folders named ${ignored} are not looked into.`;
  const name = basename(path);
  switch (kindOf(name)) {
    case "temporary":
      return "Its name says that it is not finished (a leading dot, ~, .tmp, .part). It is taken up when it is renamed.";
    case "other":
      return "Its name says that it is neither a picture nor a video. Pictures end in .jpg, .png or .webp, videos in .mp4, .mkv, .avi or .mov.";
    default:
      return undefined;
  }
}
