import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { advisoryLocks, type Database, type Sql } from "../../platform/database/database.ts";
import { addJobs, lateAfterMs, type NewJob, priorities, requeueJob } from "../../work/jobs/jobs-repository.ts";
import { markCameraSeen } from "../cameras/status.ts";
import { type InsertedImage, insertImages, linkSameContent, markSkipped, type NewImage, unknownVersions } from "./images-repository.ts";
import type { Version } from "./inspect-file.ts";
import type { ImageReason, SeenBefore } from "./reasons.ts";
import { movedFrom, movedWithFolder } from "./same-file.ts";
import { entriesElsewhere } from "./same-file-repository.ts";
import { goesOn } from "./samples.ts";
import {
  type EarlierVersion,
  noteContinuation,
  type Place,
  removeDeadLetters,
  versionBefore,
  versionsBefore,
} from "./versions-repository.ts";

/** A file that was found, and what to do with it. */
export interface FoundFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedNs: bigint;
  readonly foundBy: "watch" | "scan";
  /** Arrival time of a live picture; file time of a picture found by a scan, never in the future. */
  readonly takenAt: Date;
  /** The time by the camera's clock, right or wrong; null if the file does not say. */
  readonly capturedAt: Date | null;
  /** Live pictures go before backlog. */
  readonly live: boolean;
  readonly mediaType: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly sha256: Buffer | null;
  /** Pieces of the content, for the comparison with other versions of the file. */
  readonly samples?: Buffer | null;
  /** The version that this one goes on from, if the watcher saw it. */
  readonly earlier?: Version | undefined;
  /** Other cameras that share the folder. */
  readonly sharedWith?: readonly string[];
  /** Why it will not be processed; null if it will. */
  readonly refusal: { readonly reason: ImageReason; readonly detail: string } | null;
}

/** The result of a registration. */
export interface Registered {
  /** Rows that are new or retried. */
  readonly added: number;
  /** Those of them that wait for the detector. */
  readonly pending: number;
  /** Whether the journal has new entries for clients. */
  readonly announced: boolean;
}

/**
 * Registers files of one camera in the ledger and adds a detect job for each file to process, in one transaction. Known files change
 * nothing, so a call with an unknown outcome may be repeated.
 */
export async function registerFiles(
  context: { readonly db: Database; readonly clock: Clock; readonly log: Log },
  cameraId: string,
  files: readonly FoundFile[],
): Promise<Registered> {
  if (files.length === 0) return { added: 0, pending: 0, announced: false };
  const now = context.clock.now();
  const { skipped, waiting, ...registered } = await context.db.transaction(async (sql) => {
    const jobs: NewJob[] = [];
    const skipped: Fields[] = [];
    const waiting: Fields[] = [];
    let added = 0;
    const sharedWith = [...new Set(files.flatMap((file) => file.sharedWith ?? []))];
    for (const round of roundsByPath(await withoutTaken(sql, files, sharedWith))) {
      const inserted = await insertImages(sql, cameraId, now, round.map(asRow), [cameraId, ...sharedWith]);
      const moved = await skipMoved(sql, round, inserted, now);
      await linkCopies(sql, round, inserted);
      for (const row of inserted) {
        const file = round[row.index];
        if (!file) continue;
        const why = moved.get(row.imageId) ?? row;
        const fields = { stage: "watch", image: row.imageId, camera: cameraId, path: file.path, found_by: file.foundBy };
        if (why.reason !== null) skipped.push({ ...fields, reason: why.reason, detail: why.detail });
        if (why.reason !== null || row.status !== "pending") continue;
        waiting.push(fields);
        const before = row.takenUp ? undefined : await linkEarlier(sql, cameraId, { file, imageId: row.imageId }, now);
        const place = placeOf(file, before);
        const job = { subject: String(row.imageId), ...place, availableAt: now };
        // The job of a file that was missing may be a dead letter.
        if (row.takenUp) await requeueJob(sql, "detect", job);
        jobs.push(job);
      }
      added += inserted.length;
    }
    // Sent together: a live picture costs few round trips.
    const [, announced] =
      added > 0 ? await Promise.all([addJobs(sql, "detect", jobs), markCameraSeen(sql, cameraId, latest(files), now)]) : [null, false];
    return { added, pending: jobs.length, announced, skipped, waiting };
  });
  for (const fields of skipped) context.log.info(fields, "a picture was skipped");
  for (const fields of waiting) context.log.debug(fields, "a picture was found");
  return registered;
}

/** Fields of a log line. */
type Fields = Readonly<Record<string, unknown>>;

/** Two versions of one path in one call are registered one after the other, so that the second is compared with the first. */
function roundsByPath(files: readonly FoundFile[]): FoundFile[][] {
  const rounds: FoundFile[][] = [];
  const seen = new Map<string, number>();
  for (const file of files) {
    const round = seen.get(file.path) ?? 0;
    seen.set(file.path, round + 1);
    rounds[round] ??= [];
    rounds[round].push(file);
  }
  return rounds;
}

/** Leaves out files that another camera of the folder took, before the file patterns changed. */
async function withoutTaken(sql: Sql, files: readonly FoundFile[], sharedWith: readonly string[]): Promise<readonly FoundFile[]> {
  if (sharedWith.length === 0) return files;
  // two cameras that take a file at the same moment, before and after a change of the patterns, would not see each other's rows
  await sql`select pg_advisory_xact_lock(${advisoryLocks.sharedFolders})`;
  return (await unknownVersions(sql, sharedWith, files)).flatMap((index) => files[index] ?? []);
}

function asRow(file: FoundFile): NewImage {
  const { refusal, live: _live, earlier: _earlier, sharedWith: _shared, samples = null, ...facts } = file;
  return {
    ...facts,
    samples: isVideo(file) ? samples : null,
    status: refusal ? "skipped" : "pending",
    reason: refusal?.reason ?? null,
    detail: refusal?.detail ?? null,
  };
}

/**
 * A file that was processed under another name is not processed again if that name or that camera's folder is gone, or if it leads to the
 * same file.
 */
async function skipMoved(
  sql: Sql,
  files: readonly FoundFile[],
  inserted: readonly InsertedImage[],
  now: Date,
): Promise<ReadonlyMap<number, SeenBefore>> {
  const moved = new Map<number, SeenBefore>();
  const found: number[] = [];
  for (const row of inserted) {
    const file = files[row.index];
    const why = file && (await movedFrom(row.seenAt, file.path));
    if (why) moved.set(row.imageId, why);
    // Files that arrive with their folder are found by scanning it.
    else if (row.status === "pending" && file?.foundBy === "scan") found.push(row.imageId);
  }
  if (found.length > 0)
    for (const [imageId, why] of await movedWithFolder(await entriesElsewhere(sql, found, now))) moved.set(imageId, why);
  for (const [imageId, why] of moved) await markSkipped(sql, imageId, { ...why, startedAt: null, finishedAt: now });
  return moved;
}

/** Copies within one call cannot see each other's rows while they are inserted, so they are linked afterwards. */
async function linkCopies(sql: Sql, files: readonly FoundFile[], inserted: readonly InsertedImage[]): Promise<void> {
  const originals = new Map<string, number>();
  const links: { imageId: number; originalId: number }[] = [];
  for (const row of inserted) {
    const content = files[row.index]?.sha256?.toString("hex");
    if (content === undefined) continue;
    const originalId = originals.get(content);
    if (originalId === undefined) originals.set(content, row.imageId);
    else links.push({ imageId: row.imageId, originalId });
  }
  if (links.length > 0) await linkSameContent(sql, links);
}

/**
 * The place of a file in the queue. A version of a file that grows takes the place of the one that it replaces: a file that grows faster
 * than the queue moves would never be processed otherwise. A new place is better than one among late files, or one that is late soon.
 */
function placeOf({ live, takenAt }: FoundFile, before: Place | undefined): Place {
  const own = { priority: live ? priorities.live : priorities.backlog, position: takenAt };
  if (!before || before.priority > own.priority) return own;
  const isLate = live && takenAt.getTime() - before.position.getTime() >= lateAfterMs;
  return isLate ? own : before;
}

/**
 * Links a new version of a file to the first one that it goes on from. The watcher remembers earlier versions; those of videos, which grow
 * for a long time, are also found after a restart. Returns the place in the queue of versions that it replaces.
 */
async function linkEarlier(
  sql: Sql,
  cameraId: string,
  { file, imageId }: { readonly file: FoundFile; readonly imageId: number },
  now: Date,
): Promise<Place | undefined> {
  const { earlier, mediaType, samples = null } = file;
  if (samples === null || !(earlier || isVideo(file))) return undefined;
  const known = earlier && (await versionBefore(sql, cameraId, { path: file.path, ...earlier }));
  const versions = known || !isVideo(file) ? [] : await versionsBefore(sql, imageId);
  const before = known ?? versions.find((old) => old.samples && goesOn({ ...old, samples: old.samples }, { mediaType, samples }));
  if (before && before.firstId !== imageId) return await noteContinuation(sql, imageId, before.firstId, now);
  // such as a recording that had only its header yet
  await removeDeadLetters(sql, imageId, ids(versions), now);
  return undefined;
}

const ids = (versions: readonly EarlierVersion[]): readonly number[] => versions.map(({ imageId }) => imageId);

function isVideo({ mediaType }: FoundFile): boolean {
  return mediaType?.startsWith("video/") === true;
}

function latest(files: readonly FoundFile[]): Date {
  return new Date(files.reduce((newest, file) => Math.max(newest, file.takenAt.getTime()), 0));
}
