import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isInside, NoAnswer } from "./files.ts";
import { isNetworkType, type Mount, mountOf, parseMounts } from "./mounts.ts";
import { askShare } from "./share-threads.ts";

/** Runs an operation on the file system that contains the folder. Rejects as the operation does, and with `NoAnswer`. */
export type Ask = <T>(folder: string, question: () => Promise<T>) => Promise<T>;

const standstillMs = 500;

/** A share or a folder with pending operations. */
interface Place {
  /** The current operation is late: no other one starts until it has ended. */
  isLate: boolean;
  /** Callers whose operations wait for it. */
  readonly waiting: { readonly begin: () => void; readonly giveUp: (reason: NoAnswer) => void }[];
}

/**
 * Creates a function that runs file operations that may hang, such as on a share whose server is down. The function rejects when an
 * operation takes longer than `patienceMs`. The operation still holds one of the few threads of this process until it ends: so each
 * network share, or each folder elsewhere, runs one operation at a time, and none while one is late.
 */
export function createFsTimeout(patienceMs: number): Ask {
  const places = new Map<string, Place>();

  return async (folder, question) => {
    const share = shareOf(folder);
    const key = share ?? followed(folder);
    let place = places.get(key);
    if (!place) {
      place = { isLate: false, waiting: [] };
      places.set(key, place);
    } else if (place.isLate) {
      throw new NoAnswer(folder);
    } else {
      const { waiting } = place;
      await new Promise<void>((begin, giveUp) => waiting.push({ begin, giveUp }));
    }
    return await askAt(key, place, folder, share === undefined ? question : () => askShare(share, question));
  };

  function askAt<T>(key: string, place: Place, folder: string, question: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const waitFrom = (begun: number): void => {
        timer = setTimeout(() => {
          // A timer that fires late shows a standstill of this process and says nothing about the disk
          if (performance.now() - begun > patienceMs + standstillMs) return waitFrom(performance.now());
          const reason = new NoAnswer(folder);
          place.isLate = true;
          for (const { giveUp } of place.waiting.splice(0)) giveUp(reason);
          reject(reason);
        }, patienceMs);
      };
      waitFrom(performance.now());
      const leave = (): void => {
        clearTimeout(timer);
        place.isLate = false;
        const next = place.waiting.shift();
        if (next) next.begin();
        else places.delete(key);
      };
      question().then(resolve, reject).finally(leave);
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
/** Known shares of folders since the mounts were read. */
const shares = new Map<string, string | undefined>();

/** Folders whose names are links, or contain one, and their real locations. */
const links = new Map<string, string>();

/** Records the real location of a folder: operations on it, and on everything below it, then count for the share there. */
export function noteReal(folder: string, real: string): void {
  if ((links.get(folder) ?? folder) === real) return;
  if (folder === real) links.delete(folder);
  else links.set(folder, real);
  shares.clear();
}

/** Replaces the recorded links in a name. */
function followed(folder: string): string {
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
  if (performance.now() - mountsAt > mountsHoldMs) {
    mountsAt = performance.now();
    mounts = readKnownMounts();
    shares.clear();
  }
  if (!shares.has(folder)) {
    const mount = mountOf(mounts, followed(folder));
    shares.set(folder, mount && isNetworkType(mount.type) ? mount.folder : undefined);
  }
  return shares.get(folder);
}

function readKnownMounts(): readonly Mount[] {
  try {
    return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return []; // not Linux
  }
}
