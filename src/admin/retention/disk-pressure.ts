import { dayMs } from "../../base/clock/clock.ts";
import { type DiskSpace, freeShare, leastFreeDiskShare } from "../../platform/disk/disk.ts";
import { type CleanupContext, deletePart } from "./cleanup.ts";
import { countPast, nextPartOfThePast } from "./past-repository.ts";

/** Deleting stops when this share is free. The margin keeps it from starting again a minute later. */
const enoughFreeDiskShare = leastFreeDiskShare + 0.02;
/** Younger data is never deleted. */
const minAgeMs = dayMs;
/** Maximum number of parts: with smaller parts, little more is deleted than necessary. */
const maxParts = 50;
/** Minimum size of a part, in rows. */
const rowsAtLeast = 200;
/** Number of parts that may free no space on the disk: the database keeps the space of deleted rows for new ones. */
const fruitlessParts = 3;

export interface DiskCleanup {
  readonly events: number;
  readonly detections: number;
  readonly thumbnails: number;
  /** Original pictures. */
  readonly images: number;
  /** Size of the deleted files. */
  readonly bytes: number;
  /** Everything older than this is deleted; undefined if nothing had to be deleted. */
  readonly before: Date | undefined;
  /** Free share of the disk at the end. */
  readonly freeShare: number;
  /** Why it stopped: there is enough space again, only the last 24 hours are left, or deleting freed no space. */
  readonly ended: "enough" | "nothing_left" | "no_room_made";
}

/**
 * Deletes the oldest data in small parts, as `cleanUp` would, until the disk has enough space; data of the last 24 hours is never
 * deleted. Rejects with the reason of `signal`; each part is deleted completely or not at all.
 */
export async function cleanUpDisk(context: CleanupContext, disk: () => Promise<DiskSpace>, signal?: AbortSignal): Promise<DiskCleanup> {
  const until = new Date(context.clock.now().getTime() - minAgeMs);
  const past = { after: new Date(0), until, pictures: context.config.deleteImages };
  const sum = { events: 0, detections: 0, thumbnails: 0, images: 0, bytes: 0 };
  let free = await disk();
  let before: Date | undefined;
  let fruitless = 0;
  const ended = (how: DiskCleanup["ended"]): DiskCleanup => ({ ...sum, before, freeShare: freeShare(free), ended: how });
  const rowsOfPart = Math.max(rowsAtLeast, Math.ceil((await context.db.query((sql) => countPast(sql, past))) / maxParts));
  for (let { after } = past; ; ) {
    if (freeShare(free) >= enoughFreeDiskShare) return ended("enough");
    if (fruitless >= fruitlessParts) return ended("no_room_made");
    signal?.throwIfAborted();
    const end = await context.db.query((sql) => nextPartOfThePast(sql, { ...past, after }, rowsOfPart));
    if (end === undefined) return ended("nothing_left");
    // Times in the database have a finer resolution.
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
