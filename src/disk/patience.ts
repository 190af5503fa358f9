import { readFileSync } from "node:fs";
import { isNetworkType, type Mount, mountOf, parseMounts } from "./mounts.ts";

/** A file system that gave no answer in time, or has not answered an earlier question yet. Its code is that of the system for the same. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
  readonly code = "ETIMEDOUT";

  constructor(folder: string) {
    super(`${folder} does not answer; is its disk or share away?`);
  }
}

/** Asks a question of the file system on which the folder lies. Rejects as the question does, and with `NoAnswer`. */
export type Ask = <T>(folder: string, question: () => Promise<T>) => Promise<T>;

const standstillMs = 500;

/** A share or a folder of which something is asked. */
interface Place {
  /** Those whose questions have to wait for the one under way. */
  readonly waiting: { readonly begin: () => void; readonly giveUp: (reason: NoAnswer) => void }[];
  /** The question under way is late: nothing else is asked until it was answered. */
  late: NoAnswer | undefined;
}

/**
 * Makes who asks file systems what may hang, as at a share whose server is away. A question that takes longer than `patienceMs` is given up.
 * Each holds one of the few threads of this process until it is answered, given up or not: so one network share, or one folder elsewhere, is
 * asked one question at a time, and none while one is late.
 */
export function createPatience(patienceMs: number): Ask {
  const places = new Map<string, Place>();

  /** Waits for the turn to ask. Rejects when the one who is asking is late. */
  const turnAt = async (key: string): Promise<Place> => {
    const place = places.get(key);
    if (!place) {
      const free: Place = { waiting: [], late: undefined };
      places.set(key, free);
      return free;
    }
    if (place.late) throw place.late;
    await new Promise<void>((begin, giveUp) => place.waiting.push({ begin, giveUp }));
    return place;
  };

  const ask = async <T>(key: string, place: Place, question: () => Promise<T>): Promise<T> => {
    try {
      return await question();
    } finally {
      place.late = undefined;
      const next = place.waiting.shift();
      if (next) next.begin();
      else places.delete(key);
    }
  };

  return async (folder, question) => {
    const key = shareOf(folder) ?? folder;
    const place = await turnAt(key);
    let timer: NodeJS.Timeout | undefined;
    const overrun = new Promise<never>((_, reject) => {
      const waitFrom = (begun: number): void => {
        timer = setTimeout(() => {
          // an alarm clock that is late itself tells of a standstill of this process, and nothing of the disk
          if (performance.now() - begun > patienceMs + standstillMs) return waitFrom(performance.now());
          const late = new NoAnswer(folder);
          place.late = late;
          for (const { giveUp } of place.waiting.splice(0)) giveUp(late);
          reject(late);
        }, patienceMs);
      };
      waitFrom(performance.now());
    });
    try {
      return await Promise.race([ask(key, place, question), overrun]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** For names, sizes and times, which a disk tells in microseconds and a living server in milliseconds. */
export const lookPatiently = createPatience(4_000);

/** For what is in a file: a large picture comes slowly over a weak line. */
export const readPatiently = createPatience(10_000);

const mountsHoldMs = 5_000;
let mounts: readonly Mount[] = [];
let mountsAt = Number.NEGATIVE_INFINITY;
/** What was found out of the mounts since they were read. */
const shares = new Map<string, string | undefined>();

/** The network share on which a folder lies by its name; undefined elsewhere. Asks no file system but /proc, and needs no thread. */
function shareOf(folder: string): string | undefined {
  if (performance.now() - mountsAt > mountsHoldMs) {
    mountsAt = performance.now();
    mounts = readKnownMounts();
    shares.clear();
  }
  if (!shares.has(folder)) {
    const mount = mountOf(mounts, folder);
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
