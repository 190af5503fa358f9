import { setTimeout } from "node:timers/promises";
import type { Figures } from "../../src/admin/system/figures.ts";
import type { Disks } from "../../src/platform/disk/disk.ts";

/** Sources that may answer slowly. Undefined: the source does not answer, so its value is unknown. */
export interface LateSources {
  figures(): Promise<Figures | undefined>;
  disks(): Promise<Disks>;
}

/** Maximum wait of a scrape for a value that it already had before. */
const patienceMs = 25;

/** Returns the next answer of `ask`, or the previous one if the next takes too long. Waits only for the first answer. */
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
