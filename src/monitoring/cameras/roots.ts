import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "../../platform/config/config.ts";
import { isInside, NoAnswer } from "../../platform/disk/files.ts";
import { recordRealPath, statWithTimeout } from "../../platform/disk/fs-timeout.ts";

/** Returns the folders that contain everything homesec may read: cameras, their pictures, and files shown from them. */
export function rootsOf(config: Pick<Config, "cameraRoot" | "cameraExtraRoots">): readonly string[] {
  return [config.cameraRoot, ...config.cameraExtraRoots];
}

/** The target of a path, with all symbolic links resolved. */
export type Resolved =
  | { readonly state: "inside"; readonly path: string }
  | { readonly state: "outside"; readonly path: string }
  | { readonly state: "missing"; readonly path: string }
  /** The path cannot be followed; `code` is the system's (EACCES, ELOOP), or ETIMEDOUT if it did not answer in time. */
  | { readonly state: "unreadable"; readonly path: string; readonly code: string };

/**
 * Resolves a path and checks that its target lies in one of the roots. All reads on behalf of a client go through here, and must open the
 * returned `path`. Missing or unreadable files are reported only for paths that lie inside as far as they can be followed, so that no one
 * learns what exists elsewhere.
 */
export async function resolveInside(roots: readonly string[], path: string): Promise<Resolved> {
  const realRoots = await Promise.all(roots.map(realRoot));
  const followed = await followExisting(path);
  if (!realRoots.some((root) => isInside(root, followed.path))) return { state: "outside", path: followed.path };
  if (followed.code === undefined) return { state: "inside", path: followed.path };
  if (followed.code === "ENOENT" || followed.code === "ENOTDIR") return { state: "missing", path: followed.path };
  return { state: "unreadable", path: followed.path, code: followed.code };
}

async function realRoot(root: string): Promise<string> {
  const { path, code } = await followExisting(root);
  if (code === undefined) recordRealPath(resolve(root), path);
  return path;
}

/** Returns the real path as far as it exists, followed by the remaining names; `code` says why it ended there. */
async function followExisting(path: string): Promise<{ readonly path: string; readonly code?: string }> {
  const absolute = resolve(path);
  try {
    return { path: await statWithTimeout(absolute, () => realpath(absolute)) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    const parent = dirname(absolute);
    // The parents of a path that does not answer would not answer either.
    if (parent === absolute || error instanceof NoAnswer) return { path: absolute, code };
    return { path: join((await followExisting(parent)).path, basename(absolute)), code };
  }
}
