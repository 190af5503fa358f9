import { setTimeout } from "node:timers/promises";
import type { Figures } from "../../src/admin/system/figures.ts";
import type { Disks } from "../../src/platform/disk/disk.ts";

/** What has to be waited for. Undefined: it is not known, since what was asked does not answer. */
export interface LateSources {
  figures(): Promise<Figures | undefined>;
  disks(): Promise<Disks>;
}

/** A scrape waits no longer than this for something that it knew before. */
const patienceMs = 25;

/** Asks, but gives the last answer when the new one takes its time: that is shown next. The first is waited for. */
export function promptly<T>(ask: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let last: T | undefined;
  let asking: Promise<T | undefined> | undefined;
  return async () => {
    asking ??= ask()
      .then((answer) => {
        last = answer;
        return answer;
      })
      .finally(() => {
        asking = undefined;
      });
    if (last === undefined) return await asking;
    const tired = new AbortController();
    try {
      return await Promise.race([asking, setTimeout(patienceMs, last, { signal: tired.signal, ref: false })]);
    } finally {
      tired.abort();
    }
  };
}
