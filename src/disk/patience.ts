import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { within } from "../lifecycle/lifecycle.ts";
import { createTurns, type Turns } from "../lifecycle/turns.ts";
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

interface Place {
  readonly turns: Turns;
  asking: number;
  /** Fires when the question under way is late, with the reason; a new one once it was answered. */
  late: AbortController;
}

/**
 * Makes who asks file systems what may hang, as at a share whose server is away. A question that takes longer than `patienceMs` is given up.
 * Each holds one of the few threads of this process until it is answered, given up or not: so one network share, or one folder elsewhere, is
 * asked one question at a time, and none while one is late.
 */
export function createPatience(patienceMs: number): Ask {
  const places = new Map<string, Place>();

  return async (folder, question) => {
    const key = shareOf(folder) ?? folder;
    const place = places.get(key) ?? { turns: createTurns({ max: 1 }), asking: 0, late: alarm() };
    places.set(key, place);
    place.asking += 1;
    const leave = (): void => {
      place.asking -= 1;
      if (place.asking === 0) places.delete(key);
    };
    const giveBack = await place.turns.take(place.late.signal).catch((reason: unknown) => {
      leave();
      throw reason;
    });
    const asked = async () => {
      try {
        return await question();
      } finally {
        if (place.late.signal.aborted) place.late = alarm();
        giveBack();
        leave();
      }
    };
    const answer = asked();
    for (;;) {
      const begun = performance.now();
      const overrun = new NoAnswer(folder);
      try {
        return await within(patienceMs, () => answer, overrun);
      } catch (error) {
        if (error !== overrun) throw error;
        // an alarm clock that is late itself tells of a standstill of this process, and nothing of the disk
        if (performance.now() - begun > patienceMs + standstillMs) continue;
        place.late.abort(overrun);
        throw error;
      }
    }
  };
}

/** As many as there are cameras may listen to it. */
function alarm(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** For names, sizes and times, which a disk tells in microseconds and a living server in milliseconds. */
export const lookPatiently = createPatience(4_000);

/** For what is in a file: a large picture comes slowly over a weak line. */
export const readPatiently = createPatience(10_000);

const mountsHoldMs = 5_000;
let mounts: readonly Mount[] = [];
let mountsAt = Number.NEGATIVE_INFINITY;

/** The network share on which a folder lies by its name; undefined elsewhere. Asks no file system but /proc, and needs no thread. */
function shareOf(folder: string): string | undefined {
  if (performance.now() - mountsAt > mountsHoldMs) {
    mountsAt = performance.now();
    mounts = readKnownMounts();
  }
  const mount = mountOf(mounts, folder);
  return mount && isNetworkType(mount.type) ? mount.folder : undefined;
}

function readKnownMounts(): readonly Mount[] {
  try {
    return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return []; // not Linux
  }
}
