import { dayMs } from "../../base/clock/durations.ts";
import { type DiskSpace, freeShare, leastFreeDiskShare } from "../../platform/disk/disk.ts";
import { type CleanupContext, deletePart } from "./cleanup.ts";
import { countPast, nextPartOfThePast } from "./past-repository.ts";

/** Deleting goes on until so much is free, so that it does not begin anew a minute later. */
const enoughFreeDiskShare = leastFreeDiskShare + 0.02;
/** What is younger stays in any case. */
const untouchedMs = dayMs;
/** The past goes in so many parts at most, so that little more goes than has to. */
const mostParts = 50;
/** The smallest part, in rows. */
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
  const past = { after: new Date(0), until, pictures: context.config.deleteImages };
  const sum = { events: 0, detections: 0, thumbnails: 0, images: 0, bytes: 0 };
  let free = await disk();
  let before: Date | undefined;
  let fruitless = 0;
  const ended = (how: Relief["ended"]): Relief => ({ ...sum, before, freeShare: freeShare(free), ended: how });
  const rowsOfPart = Math.max(rowsAtLeast, Math.ceil((await context.db.query((sql) => countPast(sql, past))) / mostParts));
  for (let { after } = past; ; ) {
    if (freeShare(free) >= enoughFreeDiskShare) return ended("enough");
    if (fruitless >= fruitlessParts) return ended("no_room_made");
    signal?.throwIfAborted();
    const end = await context.db.query((sql) => nextPartOfThePast(sql, { ...past, after }, rowsOfPart));
    if (end === undefined) return ended("nothing_left");
    // times in the database are finer than those here
    before = new Date(Math.min(end.getTime() + 1, until.getTime()));
    const { rows, thumbnails, images } = await deletePart(context, { from: after, before }, signal);
    after = before;
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
