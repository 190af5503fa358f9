import { constants } from "node:fs";
import { access, realpath, stat, statfs } from "node:fs/promises";
import { resolve } from "node:path";
import { Problem } from "../../contract/problem.ts";
import { statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { resolveInside } from "./roots.ts";

/**
 * Returns the absolute path of a requested camera folder: relative to `CAMERA_ROOT` unless absolute. Throws `Problem("invalid")` at
 * `[body, folder_path]` for an empty path and for one with a NUL or `..`.
 */
export function absoluteFolder(folderPath: string, cameraRoot: string): string {
  if (folderPath.trim() === "") throw invalidFolder("Must not be empty");
  if (folderPath.includes("\0")) throw invalidFolder("Must not contain the NUL character");
  if (folderPath.split("/").includes("..")) throw invalidFolder('Must not contain ".."; write the path without it');
  return resolve(cameraRoot, folderPath);
}

/** Returns the problem of a refused `folder_path`. */
export function invalidFolder(msg: string): Problem {
  return new Problem("invalid", `folder_path: ${msg}`, { items: [{ loc: ["body", "folder_path"], msg, type: "value_error" }] });
}

/** The state of a folder. Without an issue it may be read, at `resolvedPath`. */
export interface FolderState {
  /** Null if it does not exist. */
  readonly resolvedPath: string | null;
  /** It lies outside all roots, whatever else is wrong. */
  readonly isOutside: boolean;
  readonly issues: readonly string[];
}

/** Returns the issue of a folder outside all roots, to follow its name. */
export function isOutsideOf(roots: readonly string[]): string {
  return `is outside of CAMERA_ROOT and CAMERA_EXTRA_ROOTS (${roots.join(", ")}); add a root or move it`;
}

/** Checks the folder of a camera as far as access is allowed. */
export async function inspectFolder(roots: readonly string[], folderPath: string): Promise<FolderState> {
  const resolved = await resolveInside(roots, folderPath);
  switch (resolved.state) {
    case "outside":
      return {
        resolvedPath: resolved.path,
        isOutside: true,
        issues: [`The folder ${isOutsideOf(roots)}. It is not read`],
      };
    case "missing":
      return { resolvedPath: null, isOutside: false, issues: ["The folder does not exist; create it or correct folder_path"] };
    case "unreadable":
      return {
        resolvedPath: null,
        isOutside: false,
        issues: [issueOf(resolved.code, "reached")],
      };
    case "inside":
      return { resolvedPath: resolved.path, isOutside: false, issues: await issuesOf(resolved.path) };
  }
}

async function issuesOf(path: string): Promise<readonly string[]> {
  try {
    return await statWithTimeout(path, async () => {
      if (!(await stat(path)).isDirectory()) return ["This is not a folder; correct folder_path"];
      await access(path, constants.R_OK | constants.X_OK);
      return [];
    });
  } catch (error) {
    return [issueOf((error as NodeJS.ErrnoException).code ?? "unknown", "read")];
  }
}

function issueOf(code: string, what: "reached" | "read"): string {
  if (code === "ETIMEDOUT") return "The folder does not answer; bring its disk or share back";
  return `The folder cannot be ${what} (${code}); let the user that runs homesec read it`;
}

/** Describes the problem of a folder, with the fix. */
export function folderProblem(path: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return `the folder ${path} does not exist; create it, mount its disk, or change the camera's folder`;
    case "EACCES":
    case "EPERM":
      return `the folder ${path} cannot be read; give the user that runs homesec the right to read it`;
    case "ETIMEDOUT":
      return silentProblem(path);
    default:
      return `the folder ${path} cannot be read: ${error.message}`;
  }
}

/** Describes a folder on a disk or share that does not answer. */
export function silentProblem(path: string): string {
  return `the folder ${path} does not answer; reconnect its disk or share, and homesec continues automatically`;
}

/** Returns the item whose folder is the same as `folderPath`, regardless of links. */
export async function withSameFolder<T extends { readonly folder_path: string }>(
  others: readonly T[],
  folderPath: string,
): Promise<T | undefined> {
  const real = await realOf(folderPath);
  const reals = await Promise.all(others.map((other) => realOf(other.folder_path)));
  return others[reals.indexOf(real)];
}

/** A folder that is missing, does not answer or cannot be reached is compared by name only. */
async function realOf(path: string): Promise<string> {
  try {
    return await statWithTimeout(path, () => realpath(path));
  } catch {
    return path;
  }
}

/** File systems that raise no events for changes made by other machines, by their number in statfs(2). */
const networkTypes = new Map<number, string>([
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x65735546, "fuse"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x786f4256, "vboxsf"],
]);

/** Returns the name of the network file system that holds a folder, or undefined for a local one. Throws if the folder cannot be read. */
export async function networkMount(folder: string): Promise<string | undefined> {
  return networkTypes.get((await statfs(folder)).type >>> 0);
}
