import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "../../platform/config/config.ts";
import { noteReal, statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { isInside } from "../../platform/disk/inside.ts";
import { NoAnswer } from "../../platform/disk/no-answer.ts";

/** The folders below which everything must lie that is read: cameras, their pictures, what is shown of them. */
export function rootsOf(config: Pick<Config, "cameraRoot" | "cameraExtraRoots">): readonly string[] {
  return [config.cameraRoot, ...config.cameraExtraRoots];
}

/** Where a path leads, all symbolic links followed. */
export type Resolved =
  | { readonly state: "inside"; readonly path: string }
  | { readonly state: "outside"; readonly path: string }
  | { readonly state: "missing"; readonly path: string }
  /** The way there cannot be followed; `code` as the system gave it (EACCES, ELOOP), or ETIMEDOUT when it gave none in time. */
  | { readonly state: "unreadable"; readonly path: string; readonly code: string };

/**
 * Follows a path to where it really leads and tells whether that is in one of the roots. Whatever is read for somebody
 * goes through here, and it is the `path` of the answer that is opened. What is missing or unreadable is told only of
 * paths that lie inside as far as they can be followed: nobody learns what exists elsewhere.
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
  if (code === undefined) noteReal(resolve(root), path);
  return path;
}

/** The real path as far as the path exists, with the rest of the names after it; `code` says why it went no further. */
async function followExisting(path: string): Promise<{ readonly path: string; readonly code?: string }> {
  const absolute = resolve(path);
  try {
    return { path: await statWithTimeout(absolute, () => realpath(absolute)) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    const parent = dirname(absolute);
    // the way to what does not answer would not answer either
    if (parent === absolute || error instanceof NoAnswer) return { path: absolute, code };
    return { path: join((await followExisting(parent)).path, basename(absolute)), code };
  }
}
