import { type DiskSpace, freeShare } from "../system/disk.ts";
import { leastFreeDiskShare } from "../system/overall.ts";
import { type CleanupContext, sweep } from "./cleanup.ts";
import { nextPartOfThePast } from "./past-repository.ts";

/** Deleting goes on until so much is free, so that it does not begin anew a minute later. */
const enoughFreeDiskShare = leastFreeDiskShare + 0.02;
/** What is younger stays in any case. */
const untouchedMs = 86_400_000;
/** The smallest part of the past that goes at once, in rows. */
const rowsAtLeast = 200;
/** So many parts may go without more room on the disk: the database keeps the room of deleted rows for new ones. */
const fruitlessParts = 3;

export interface Relief {
  readonly events: number;
  readonly detections: number;
  readonly thumbnails: number;
  /** Original pictures. */
  readonly images: number;
  /** Of the deleted files. */
  readonly bytes: number;
  /** What is older than this is gone; undefined when nothing was to be deleted. */
  readonly before: Date | undefined;
  /** Free part of the disk at the end. */
  readonly freeShare: number;
  /** Why it ended: there is room again, only the last 24 hours are left, or deleting made no room. */
  readonly ended: "enough" | "nothing_left" | "no_room_made";
}

/**
 * Shortens the retention until the disk has room again: the oldest data first, in small parts, as `cleanUp` would delete it, and never that of
 * the last 24 hours. Rejects with the reason of `signal` when it fires; what is gone by then is gone whole.
 */
export async function relieveDisk(context: CleanupContext, disk: () => Promise<DiskSpace>, signal?: AbortSignal): Promise<Relief> {
  const until = new Date(context.clock.now().getTime() - untouchedMs);
  const sum = { events: 0, detections: 0, thumbnails: 0, images: 0, bytes: 0 };
  let free = await disk();
  let before: Date | undefined;
  let fruitless = 0;
  const ended = (how: Relief["ended"]): Relief => ({ ...sum, before, freeShare: freeShare(free), ended: how });
  for (let after = new Date(0); ; ) {
    if (freeShare(free) >= enoughFreeDiskShare) return ended("enough");
    if (fruitless >= fruitlessParts) return ended("no_room_made");
    signal?.throwIfAborted();
    const part = { after, until, atLeast: rowsAtLeast, pictures: context.config.deleteImages };
    const end = await context.db.query((sql) => nextPartOfThePast(sql, part));
    if (end === undefined) return ended("nothing_left");
    // times in the database are finer than those here
    after = new Date(Math.min(end.getTime() + 1, until.getTime()));
    before = after;
    const { rows, thumbnails, images } = await sweep(context, before, { dryRun: false, signal });
    sum.events += rows.events;
    sum.detections += rows.detections;
    sum.thumbnails += thumbnails.files;
    sum.images += images.files;
    sum.bytes += thumbnails.bytes + images.bytes;
    const now = await disk();
    fruitless = now.freeBytes > free.freeBytes ? 0 : fruitless + 1;
    free = now;
  }
}
