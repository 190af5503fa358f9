import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "./inside.ts";
import { isNetworkType, type Mount, mountOf, parseMounts } from "./mounts.ts";
import { NoAnswer } from "./no-answer.ts";
import { askShare } from "./share-threads.ts";

/** Asks a question of the file system on which the folder lies. Rejects as the question does, and with `NoAnswer`. */
export type Ask = <T>(folder: string, question: () => Promise<T>) => Promise<T>;

const standstillMs = 500;

/** A share or a folder of which something is asked. */
interface Place {
  /** The question under way is late: nothing else is asked until it was answered. */
  isLate: boolean;
  /** Those whose questions have to wait for it. */
  readonly waiting: { readonly begin: () => void; readonly giveUp: (reason: NoAnswer) => void }[];
}

/**
 * Makes who asks file systems what may hang, as at a share whose server is away. A question that takes longer than `patienceMs` is given up.
 * Each holds one of the few threads of this process until it is answered, given up or not: so one network share, or one folder elsewhere, is
 * asked one question at a time, and none while one is late.
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
          // an alarm clock that is late itself tells of a standstill of this process, and nothing of the disk
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

/** For names, sizes and times, which a disk tells in microseconds and a living server in milliseconds. */
export const statWithTimeout = createFsTimeout(4_000);

/** For what is in a folder: a share takes long for a hundred thousand names. */
export const listWithTimeout = createFsTimeout(120_000);

/** For what is in a file: a large picture comes slowly over a weak line. */
export const readWithTimeout = createFsTimeout(10_000);

const mountsHoldMs = 5_000;
let mounts: readonly Mount[] = [];
let mountsAt = Number.NEGATIVE_INFINITY;
/** What was found out of the mounts since they were read. */
const shares = new Map<string, string | undefined>();

/** Folders whose names are links, or lead through one, and where they really lie. */
const links = new Map<string, string>();

/** Notes where a folder really lies: what is asked of it and of all below it under its name counts for the share that is there. */
export function noteReal(folder: string, real: string): void {
  if ((links.get(folder) ?? folder) === real) return;
  if (folder === real) links.delete(folder);
  else links.set(folder, real);
  shares.clear();
}

/** The name without the links that were noted. */
function followed(folder: string): string {
  let link = "";
  for (const name of links.keys()) if (name.length > link.length && isInside(name, folder)) link = name;
  const real = links.get(link);
  return real === undefined ? folder : join(real, folder.slice(link.length));
}

/** The network share on which a folder lies as far as its links are noted; undefined elsewhere. Asks no file system but /proc, and needs no thread. */
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
