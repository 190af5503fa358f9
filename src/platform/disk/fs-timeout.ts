import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isInside, NoAnswer } from "./files.ts";
import { isNetworkType, type Mount, mountOf, parseMounts } from "./mounts.ts";
import { runOnShare } from "./share-threads.ts";

/** Runs an operation on the file system that contains the folder. Rejects as the operation does, and with `NoAnswer`. */
export type RunWithTimeout = <T>(folder: string, operation: () => Promise<T>) => Promise<T>;

const stallMs = 500;

/** A share or a folder with pending operations. */
interface Target {
  /** The current operation is late: no other one starts until it has ended. */
  isLate: boolean;
  /** Callers whose operations wait for it. */
  readonly waiting: { readonly begin: () => void; readonly fail: (reason: NoAnswer) => void }[];
}

/**
 * Creates a function that runs file operations that may hang, such as on a share whose server is down. The function rejects when an
 * operation takes longer than `timeoutMs`. The operation still holds one of the few threads of this process until it ends: so each
 * network share, or each folder elsewhere, runs one operation at a time, and none while one is late.
 */
export function createFsTimeout(timeoutMs: number): RunWithTimeout {
  const targets = new Map<string, Target>();

  return async (folder, operation) => {
    const share = shareOf(folder);
    const key = share ?? resolveKnownLinks(folder);
    let target = targets.get(key);
    if (!target) {
      target = { isLate: false, waiting: [] };
      targets.set(key, target);
    } else if (target.isLate) {
      throw new NoAnswer(folder);
    } else {
      const { waiting } = target;
      await new Promise<void>((begin, fail) => waiting.push({ begin, fail }));
    }
    return await runAt(key, target, folder, share === undefined ? operation : () => runOnShare(share, operation));
  };

  function runAt<T>(key: string, target: Target, folder: string, operation: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const waitFrom = (begun: number): void => {
        timer = setTimeout(() => {
          // A timer that fires late shows a standstill of this process and says nothing about the disk
          if (performance.now() - begun > timeoutMs + stallMs) return waitFrom(performance.now());
          const reason = new NoAnswer(folder);
          target.isLate = true;
          for (const { fail } of target.waiting.splice(0)) fail(reason);
          reject(reason);
        }, timeoutMs);
      };
      waitFrom(performance.now());
      const release = (): void => {
        clearTimeout(timer);
        target.isLate = false;
        const next = target.waiting.shift();
        if (next) next.begin();
        else targets.delete(key);
      };
      operation().then(resolve, reject).finally(release);
    });
  }
}

/** For names, sizes and times, which a disk returns in microseconds and a working server in milliseconds. */
export const statWithTimeout = createFsTimeout(4_000);

/** For the contents of a folder: a share needs long for a hundred thousand names. */
export const listWithTimeout = createFsTimeout(120_000);

/** For the contents of a file: a large picture is slow over a weak network. */
export const readWithTimeout = createFsTimeout(10_000);

const mountsHoldMs = 5_000;
let mounts: readonly Mount[] = [];
let mountsAt = Number.NEGATIVE_INFINITY;
/** Known mounts of folders since the mounts were read. */
const mountsOfFolders = new Map<string, Mount | undefined>();

/** Folders whose names are links, or contain one, and their real locations. */
const links = new Map<string, string>();

/** Records the real location of a folder: operations on it, and on everything below it, then count for the share there. */
export function recordRealPath(folder: string, real: string): void {
  if ((links.get(folder) ?? folder) === real) return;
  if (folder === real) links.delete(folder);
  else links.set(folder, real);
  mountsOfFolders.clear();
}

/** Replaces the recorded links in a name. */
function resolveKnownLinks(folder: string): string {
  let link = "";
  for (const name of links.keys()) if (name.length > link.length && isInside(name, folder)) link = name;
  const real = links.get(link);
  return real === undefined ? folder : join(real, folder.slice(link.length));
}

/**
 * Returns the network share that contains a folder as far as its links are recorded; undefined elsewhere. Accesses no file system but
 * /proc, and needs no thread.
 */
export function shareOf(folder: string): string | undefined {
  const mount = knownMountOf(folder);
  return mount && isNetworkType(mount.type) ? mount.folder : undefined;
}

/** Returns the type of the file system that contains a folder, such as `ext4`, in the manner of `shareOf`; undefined if it is not known. */
export function mountTypeOf(folder: string): string | undefined {
  return knownMountOf(folder)?.type;
}

function knownMountOf(folder: string): Mount | undefined {
  if (performance.now() - mountsAt > mountsHoldMs) {
    mountsAt = performance.now();
    mounts = readKnownMounts();
    mountsOfFolders.clear();
  }
  if (!mountsOfFolders.has(folder)) mountsOfFolders.set(folder, mountOf(mounts, resolveKnownLinks(folder)));
  return mountsOfFolders.get(folder);
}

function readKnownMounts(): readonly Mount[] {
  try {
    return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return []; // not Linux
  }
}
