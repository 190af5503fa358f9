import { deleteEmptyBatches, lockBatchesOf, shrinkBatches } from "../monitoring/batches/batches-repository.ts";
import { deleteDetections, moveToImage } from "../monitoring/detections/detections-repository.ts";
import { forgetSightings } from "../monitoring/entities/entities-repository.ts";
import type { LedgerImage } from "../monitoring/images/images-repository.ts";
import {
  type EarlierDetection,
  lockEarlierDetections,
  markReplaced,
  removeEarlierDeadLetters,
} from "../monitoring/images/versions-repository.ts";
import type { Sql } from "../platform/database/database.ts";
import type { Finding } from "./store-findings.ts";

/*
 * A file that grows in steps is processed in each version. The last version replaces what the earlier ones gave:
 *
 *   in an open batch   a detection that the later version has too stays as it is, with its enrichment; the others are deleted, and
 *                      what is new joins the same batch
 *   in a closed event  everything stays: an alert may have been sent. A video adds the frames behind those of the event; a picture
 *                      counts as another one.
 */

/** What is left to store of a version of a file. */
export interface Continuation {
  readonly findings: readonly Finding[];
  /** Detections of earlier versions that belong to this one now. */
  readonly kept: number;
  /** The open batch of the detections that were kept or replaced. */
  readonly batchId: string | undefined;
  /** A sentence for the entry. */
  readonly note: string | null;
}

/** A version of a file with everything that was found in it. */
export interface FoundIn {
  readonly image: LedgerImage;
  readonly findings: readonly Finding[];
}

/** The stored offsets have fewer digits. */
const offsetTolerance = 0.01;

/**
 * Replaces the detections of earlier versions of files in the caller's transaction. Returns what is left to store, by the index of the
 * picture, for those that go on from an earlier version; costs nothing if none does. Then call `dropEmptied`.
 */
export async function replaceEarlier(sql: Sql, pictures: readonly FoundIn[], now: Date): Promise<ReadonlyMap<number, Continuation>> {
  const later = pictures.flatMap(({ image, findings }, at) =>
    image.continues === null ? [] : [{ at, image, imageId: image.imageId, first: image.continues, findings }],
  );
  if (later.length === 0) return new Map();
  // Of all pictures at once, here and below: taken one after the other, two transactions could wait for each other.
  await lockBatchesOf(
    sql,
    pictures.map(({ image }) => image.cameraId),
  );
  // One that was at the detector when the later version was found may have failed since.
  await removeEarlierDeadLetters(sql, later, now);
  const earlier = await lockEarlierDetections(sql, later);
  const replacements = later.map((version, of) =>
    replacementFor(
      version,
      earlier.filter((detection) => detection.of === of),
    ),
  );
  await deleteReplaced(
    sql,
    replacements.flatMap(({ gone }) => gone),
  );
  for (const [of, { image, imageId, first }] of later.entries()) {
    const kept = replacements[of]?.kept ?? [];
    if (kept.length > 0) await moveToImage(sql, kept, image);
    await markReplaced(sql, imageId, first);
  }
  return new Map(later.flatMap(({ at }, of) => (replacements[of] ? [[at, replacements[of].continuation]] : [])));
}

/** Deletes the batches that lost all their detections, once the new ones are stored. */
export async function dropEmptied(sql: Sql, continuations: ReadonlyMap<number, Continuation>): Promise<void> {
  const batchIds = [...continuations.values()].flatMap(({ batchId }) => batchId ?? []);
  if (batchIds.length > 0) await deleteEmptyBatches(sql, batchIds);
}

/** What becomes of the detections of earlier versions. */
interface Replacement {
  readonly continuation: Continuation;
  /** The ids of those that stay. */
  readonly kept: readonly number[];
  readonly gone: readonly EarlierDetection[];
}

function replacementFor({ image, findings }: FoundIn, earlier: readonly EarlierDetection[]): Replacement {
  const closed = earlier.filter(({ eventId }) => eventId !== null);
  const open = earlier.filter(({ eventId }) => eventId === null);
  const { kept, fresh } = match(open, findings.filter(isBehind(closed)));
  const batchId = open.findLast((detection) => detection.batchId !== null)?.batchId ?? undefined;
  return {
    continuation: { findings: fresh, kept: kept.size, batchId, note: noteOf(image, closed) },
    kept: [...kept],
    gone: open.filter(({ id }) => !kept.has(id)),
  };
}

async function deleteReplaced(sql: Sql, gone: readonly EarlierDetection[]): Promise<void> {
  if (gone.length === 0) return;
  const ids = gone.map(({ id }) => id);
  await forgetSightings(sql, ids);
  await deleteDetections(sql, ids);
  await shrinkBatches(
    sql,
    gone.flatMap(({ batchId }) => batchId ?? []),
  );
}

/** Whether a finding is behind everything that closed events have of the file. A picture has no order, so everything in it is. */
function isBehind(closed: readonly EarlierDetection[]): (finding: Finding) => boolean {
  const offsets = closed.flatMap(({ videoOffsetSeconds }) => videoOffsetSeconds ?? []);
  const last = offsets.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return ({ frame }) => frame === null || frame.offsetSeconds > last + offsetTolerance;
}

/** Finds the detections that are the same in the later version: each counts once. */
function match(
  open: readonly EarlierDetection[],
  findings: readonly Finding[],
): { readonly kept: ReadonlySet<number>; readonly fresh: readonly Finding[] } {
  const kept = new Set<number>();
  const fresh = findings.filter((finding) => {
    const same = open.find((detection) => !kept.has(detection.id) && isSameDetection(detection, finding));
    if (same) kept.add(same.id);
    return same === undefined;
  });
  return { kept, fresh };
}

function isSameDetection(detection: EarlierDetection, { found, frame }: Finding): boolean {
  const { x, y, width, height } = found.box ?? { x: null, y: null, width: null, height: null };
  const edges = [
    [detection.x, x],
    [detection.y, y],
    [detection.width, width],
    [detection.height, height],
  ] as const;
  return (
    detection.objectType === found.objectType &&
    Math.abs(detection.confidence - found.confidence) < 1e-6 &&
    (detection.videoOffsetSeconds === null) === (frame === null) &&
    Math.abs((detection.videoOffsetSeconds ?? 0) - (frame?.offsetSeconds ?? 0)) < offsetTolerance &&
    edges.every(([before, after]) => before === (after === null ? null : Math.round(after)))
  );
}

function noteOf({ mediaType }: LedgerImage, closed: readonly EarlierDetection[]): string {
  const [event] = closed;
  if (!event) return "It replaced an earlier version of the file and its detections.";
  const rest = mediaType?.startsWith("video/") ? "this entry has only what comes behind it" : "this version counts as another picture";
  return `An earlier version of the file is in event ${event.eventId}, which is closed, so ${rest}.`;
}
