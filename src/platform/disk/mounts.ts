import { readFile, readlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isInside } from "./inside.ts";

/** A file system and the folder at which it begins. */
export interface Mount {
  readonly folder: string;
  /** `ext4`, `nfs4`, `cifs`, `tmpfs`. */
  readonly type: string;
  readonly readOnly: boolean;
}

/** Reads the text of /proc/self/mountinfo. */
export function parseMounts(text: string): readonly Mount[] {
  return text.split("\n").flatMap((line) => {
    // fields up to a dash are of the mount, those after it of the file system
    const [own = "", system] = line.split(" - ");
    const [, , , , folder, options = ""] = own.split(" ");
    const [type, , systemOptions = ""] = system?.split(" ") ?? [];
    if (folder === undefined || type === undefined) return [];
    const all = [...options.split(","), ...systemOptions.split(",")];
    return [{ folder: unescaped(folder), type, readOnly: all.includes("ro") }];
  });
}

/** The mount on which a path lies: the deepest, and of several at one place the last. Undefined when none is known. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts) {
    if (isInside(mount.folder, path) && mount.folder.length >= (found?.folder.length ?? 0)) found = mount;
  }
  return found;
}

const mostLinks = 40;

/**
 * The mount on which a folder really lies: as `mountOf`, with the links on the way there followed. Nothing is asked of a network share, which may
 * hang: the way ends where one begins.
 */
export async function realMountOf(mounts: readonly Mount[], path: string): Promise<Mount | undefined> {
  let left = mostLinks;
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

/** The network shares on which a folder really lies, or that are mounted somewhere in it; each once. Asks nothing of them. */
export async function sharesOf(mounts: readonly Mount[], path: string): Promise<readonly Mount[]> {
  const own = await realMountOf(mounts, path);
  const places = new Map(mounts.filter((mount) => mount === own || isInside(path, mount.folder)).map((mount) => [mount.folder, mount]));
  return [...places.values()].filter(({ type }) => isNetworkType(type));
}

/** What is mounted, as the folder of /proc tells; nothing where there is none. Never waits for a file system that does not answer. */
export async function readMounts(proc: string): Promise<readonly Mount[]> {
  return parseMounts(await readFile(`${proc}/self/mountinfo`, "utf8").catch(() => ""));
}

const networkType = /^(nfs|cifs|smb|9p|ceph|afs|fuse\.(sshfs|rclone|s3fs|glusterfs|davfs)|glusterfs|davfs|vboxsf|ncpfs|lustre)/;

/** Whether changes that other machines make raise no event here. */
export function isNetworkType(type: string): boolean {
  return networkType.test(type);
}

/** Whether what is written is gone when the machine is switched off. */
export function isVolatileType(type: string): boolean {
  return type === "tmpfs" || type === "ramfs";
}

/** Space, tab, newline and backslash are written as octal numbers there. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
