import { link, mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../../support/chance.ts";
import { renameIn, uniqueJpeg, writeSlowly } from "../../support/pictures.ts";
import { isLong } from "./scale.ts";

const cameras = ["front", "back", "garage", "yard", "drive", "gate"];

/** Path of picture `number`. */
function placeOf(root: string, number: number, ...between: readonly string[]): string {
  const camera = cameras[number % cameras.length] as string;
  return join(root, camera, ...between, `${String(number).padStart(6, "0")}.jpg`);
}

/** The ways pictures arrive, with accidents that happen to some before they are processed. */
const ways = {
  renamed: async ({ path, bytes }: Upload) => await renameIn(path(), bytes),
  "in pieces": async ({ path, bytes, chance }: Upload) => await writeSlowly(path(), bytes, 2 + chance.below(5), chance.between(0, 12)),
  "in new folders": async ({ path, bytes, chance }: Upload) =>
    await renameIn(path(`2026-0${1 + chance.below(9)}`, `${chance.below(28)}`), bytes),
  linked: async ({ path, bytes }: Upload) => {
    await writeWhole(`${path()}.part`, bytes);
    await link(`${path()}.part`, path());
    await rm(`${path()}.part`);
  },
  "written over": async ({ path, bytes, chance }: Upload) => {
    await renameIn(path(), await uniqueJpeg(chance.below(10)));
    await sleep(chance.between(0, 60));
    await renameIn(path(), bytes);
  },
  "named anew": async ({ path, bytes, chance }: Upload) => {
    await renameIn(path(), bytes);
    await sleep(chance.between(0, 120));
    await rename(path(), path().replace(".jpg", "-final.jpg"));
  },
  "sent again": async ({ path, bytes, chance }: Upload) => {
    await renameIn(path(), bytes);
    await sleep(chance.between(0, 120));
    await renameIn(path(), bytes);
  },
  "taken away": async ({ path, bytes, chance }: Upload) => {
    await renameIn(path(), bytes);
    await sleep(chance.between(0, 60));
    await rm(path());
  },
  "of yesterday": async ({ path, bytes }: Upload) => {
    await writeWhole(`${path()}.part`, bytes);
    const then = new Date(Date.now() - 86_400_000);
    await utimes(`${path()}.part`, then, then);
    await rename(`${path()}.part`, path());
  },
} as const;

/** Ways that leave the picture as uploaded. */
const plain = ["renamed", "in pieces", "in new folders", "linked"] as const;

interface Upload {
  readonly path: (...between: readonly string[]) => string;
  readonly bytes: Buffer;
  readonly chance: Chance;
}

const writeWhole = async (path: string, bytes: Buffer): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
};

/**
 * Uploads picture `number` in one of the ways: mostly plain ones, with an accident in every fifth. Its choices do not depend on other
 * uploads.
 */
async function upload(root: string, number: number, all: Chance): Promise<void> {
  const chance = all.of(number);
  const way = chance.below(5) === 0 ? chance.pick(Object.keys(ways) as (keyof typeof ways)[]) : chance.pick(plain);
  await ways[way]({ path: (...between) => placeOf(root, number, ...between), bytes: await uniqueJpeg(number), chance });
}

/** Uploads with `pauseMs` after each picture, in the short form three times that, until `stop`, which returns their number. */
export function keepUploading(root: string, chance: Chance, pauseMs: number): { readonly count: () => number; stop(): Promise<number> } {
  let goesOn = true;
  let uploaded = 0;
  const done = (async () => {
    while (goesOn) {
      await upload(root, uploaded, chance);
      uploaded += 1;
      await sleep(isLong ? pauseMs : 3 * pauseMs);
    }
  })();
  return {
    count: () => uploaded,
    stop: async () => {
      goesOn = false;
      await done;
      return uploaded;
    },
  };
}

/** Uploads pictures `from` (inclusive) to `below` (exclusive) with several uploaders at once. */
export async function uploadRange(root: string, from: number, to: number, chance: Chance): Promise<void> {
  let next = from;
  const hand = async (): Promise<void> => {
    while (next < to) await upload(root, next++, chance);
  };
  await Promise.all([hand(), hand(), hand(), hand()]);
}
