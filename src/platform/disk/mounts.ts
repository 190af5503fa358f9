import { readFile, readlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isInside } from "./files.ts";

/** A file system and its mount point. */
export interface Mount {
  readonly folder: string;
  /** `ext4`, `nfs4`, `cifs`, `tmpfs`. */
  readonly type: string;
  readonly readOnly: boolean;
}

/** Parses the text of /proc/self/mountinfo. */
export function parseMounts(text: string): readonly Mount[] {
  return text.split("\n").flatMap((line) => {
    // Fields before the dash describe the mount, those after it the file system
    const [own = "", system] = line.split(" - ");
    const [, , , , folder, options = ""] = own.split(" ");
    const [type, , systemOptions = ""] = system?.split(" ") ?? [];
    if (folder === undefined || type === undefined) return [];
    const all = [...options.split(","), ...systemOptions.split(",")];
    return [{ folder: unescaped(folder), type, readOnly: all.includes("ro") }];
  });
}

/** Returns the mount that contains a path: the deepest one, and of several at one place the last. Undefined if none is known. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts) {
    if (isInside(mount.folder, path) && mount.folder.length >= (found?.folder.length ?? 0)) found = mount;
  }
  return found;
}

const maxLinks = 40;

/**
 * Returns the mount that really contains a folder: as `mountOf`, but following links. It never accesses a network share, which may hang:
 * it stops at the first one on the way.
 */
export async function realMountOf(mounts: readonly Mount[], path: string): Promise<Mount | undefined> {
  let left = maxLinks;
  const follow = async (name: string): Promise<string> => {
    const parent = dirname(name);
    if (parent === name) return name;
    const place = join(await follow(parent), name.slice(parent.length));
    if (left === 0 || isNetworkType(mountOf(mounts, place)?.type ?? "")) return place;
    const target = await readlink(place).catch(() => undefined);
    if (target === undefined) return place;
    left -= 1;
    return await follow(resolve(dirname(place), target));
  };
  return mountOf(mounts, await follow(resolve(path)));
}

/** Returns the network shares that really contain a folder, or that are mounted inside it; each once. Does not access them. */
export async function sharesOf(mounts: readonly Mount[], path: string): Promise<readonly Mount[]> {
  const own = await realMountOf(mounts, path);
  const places = new Map(mounts.filter((mount) => mount === own || isInside(path, mount.folder)).map((mount) => [mount.folder, mount]));
  return [...places.values()].filter(({ type }) => isNetworkType(type));
}

/** Reads the mounts from the folder of /proc; none if it does not exist. Never waits for a file system that does not respond. */
export async function readMounts(proc: string): Promise<readonly Mount[]> {
  return parseMounts(await readFile(`${proc}/self/mountinfo`, "utf8").catch(() => ""));
}

const networkType = /^(nfs|cifs|smb|9p|ceph|afs|fuse\.(sshfs|rclone|s3fs|glusterfs|davfs)|glusterfs|davfs|vboxsf|ncpfs|lustre)/;

/** Tells whether changes by other machines raise no event on this one. */
export function isNetworkType(type: string): boolean {
  return networkType.test(type);
}

/** Tells whether files are lost when the machine is switched off. */
export function isVolatileType(type: string): boolean {
  return type === "tmpfs" || type === "ramfs";
}

/** Space, tab, newline and backslash are octal numbers in mountinfo. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
