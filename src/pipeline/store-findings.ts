import { assignToBatches, type Closed, closeDueBatches } from "../monitoring/batches/aggregation.ts";
import { insertDetections, type NewDetection } from "../monitoring/detections/detections-repository.ts";
import { type LedgerImage, markProcessed } from "../monitoring/images/images-repository.ts";
import type { Detected } from "../monitoring/upstream/detector.ts";
import { type LeftOut, LeftOutTally, percentText } from "../monitoring/upstream/left-out.ts";
import type { LiveSettings } from "../platform/config/settings.ts";
import type { Sql } from "../platform/database/database.ts";
import { addJobs, type ClaimedJob, finishJobs } from "../work/jobs/jobs-repository.ts";
import { appendToJournal } from "../work/journal/journal.ts";
import { dropEmptied, replaceEarlier } from "./replace-earlier.ts";

/** A detection before it has a row. */
export interface Finding {
  readonly found: Detected["detections"][number];
  /** For a video: the offset of the frame, and the seconds of video after it. */
  readonly frame: { readonly offsetSeconds: number; readonly secondsAfter: number } | null;
}

/** A picture that the detector processed. */
export interface SeenPicture {
  readonly job: ClaimedJob;
  readonly image: LedgerImage;
  readonly findings: readonly Finding[];
  readonly seen: Detected;
  /** The part of a video that was not processed. */
  readonly detail: string | null;
  readonly startedAt: Date;
}

/** Settings and time for storing. */
export interface StoringContext {
  readonly settings: LiveSettings;
  readonly batchMaxDetections: number;
  /** How long the analysis of an event waits for the enrichment of its detections, in milliseconds. */
  readonly enrichmentWaitMs: number;
  readonly now: Date;
}

/** The result of storing, for the workers that wait for it. */
export interface Stored {
  /** The batches that were closed and became events. */
  readonly closed: readonly Closed[];
  /** In the order of the pictures. */
  readonly pictures: readonly StoredPicture[];
}

/** A picture whose outcome is stored. */
export interface StoredPicture {
  /** The batch of its detections; undefined if it has none. */
  readonly batchId: string | undefined;
  /** Also counts the detections below the threshold. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Stores the detections of pictures in the caller's transaction: finishes their jobs, records their outcome in the ledger,
 * adds the detections to the batches of their cameras and to the journal. Throws `LeaseLost` if another worker has claimed one of the jobs.
 */
export async function storeFindings(sql: Sql, pictures: readonly SeenPicture[], context: StoringContext): Promise<Stored> {
  const { settings, now } = context;
  const threshold = settings.detectionConfidenceThreshold;
  const counted = pictures.map(({ findings }) => findings.filter(({ found }) => found.confidence >= threshold));
  const leftOut = pictures.map((picture) => withWeak(picture, threshold));
  const versions = pictures.map(({ image }, at) => ({ image, findings: counted[at] ?? [] }));
  const continued = await replaceEarlier(sql, versions, now);
  const fresh = counted.map((findings, at) => continued.get(at)?.findings ?? findings);
  const arrivals = pictures.flatMap(({ image }, at) => {
    const count = fresh[at]?.length ?? 0;
    const batchId = continued.get(at)?.batchId;
    return count === 0 ? [] : [{ at, arrival: { cameraId: image.cameraId, at: image.takenAt, count, batchId } }];
  });
  // Sent together, statements without locks first: from here to the commit, pictures of one camera wait for each other.
  const [, , { batchIds, outgrown }] = await Promise.all([
    finishJobs(
      sql,
      pictures.map(({ job }) => job),
    ),
    markProcessed(
      sql,
      pictures.map(({ image, seen, detail, startedAt }, at) => ({
        imageId: image.imageId,
        detectionCount: (fresh[at]?.length ?? 0) + (continued.get(at)?.kept ?? 0),
        detector: seen.detector,
        inferenceMs: seen.inferenceMs,
        leftOut: leftOut[at] ?? [],
        detail: [continued.get(at)?.note ?? [], detail ?? []].flat().join(" ") || null,
        startedAt,
        finishedAt: now,
      })),
    ),
    assignToBatches(
      sql,
      arrivals.map(({ arrival }) => arrival),
      { settings, maxDetections: context.batchMaxDetections, now },
    ),
  ]);
  const records = await insertDetections(
    sql,
    arrivals.flatMap(({ at }, index) => {
      const picture = pictures[at] as SeenPicture;
      return (fresh[at] ?? []).map((finding) => newDetection(picture.image, finding, batchIds[index] as string, now));
    }),
  );
  await appendToJournal(
    sql,
    records.map((data) => ({ type: "detection.new" as const, data })),
    now,
  );
  await dropEmptied(sql, continued);
  const found = pictures.filter((_, at) => (fresh[at]?.length ?? 0) + (continued.get(at)?.kept ?? 0) > 0);
  if (found.length > 0 && (settings.visionExtractionEnabled || settings.reidEnabled)) {
    await addJobs(
      sql,
      "enrich",
      found.map(({ job, image }) => ({ subject: job.subject, priority: job.priority, position: image.takenAt, availableAt: now })),
    );
  }
  const closing = { ...settings, enrichmentWaitMs: context.enrichmentWaitMs };
  // All at once: every transaction counts events by camera in the same order, so none deadlock.
  const closed = await closeDueBatches(sql, now, closing, outgrown);
  const joined = new Map(arrivals.map(({ at }, index) => [at, batchIds[index]]));
  return {
    closed,
    pictures: pictures.map((_, at) => ({ batchId: joined.get(at) ?? continued.get(at)?.batchId, leftOut: leftOut[at] ?? [] })),
  };
}

/** Adds the detections below the threshold; the most confident one is the example. */
function withWeak({ findings, seen }: SeenPicture, threshold: number): readonly LeftOut[] {
  const weak = findings.map(({ found }) => found).filter(({ confidence }) => confidence < threshold);
  const [first, ...others] = weak;
  if (!first) return seen.leftOut;
  const best = others.reduce((a, b) => (b.confidence > a.confidence ? b : a), first);
  const tally = new LeftOutTally();
  tally.addAll(seen.leftOut);
  tally.add("below_threshold", () => `${best.objectType} ${percentText(best.confidence)}`, weak.length);
  return tally.list();
}

function newDetection(image: LedgerImage, { found, frame }: Finding, batchId: string, now: Date): NewDetection {
  // A camera uploads a video when it ends, so its file has the time of its end.
  const detectedAt = new Date(image.takenAt.getTime() - (frame?.secondsAfter ?? 0) * 1000);
  return {
    cameraId: image.cameraId,
    imageId: image.imageId,
    batchId,
    filePath: image.path,
    fileType: image.mediaType,
    videoOffsetSeconds: frame?.offsetSeconds ?? null,
    detectedAt,
    objectType: found.objectType,
    confidence: found.confidence,
    box: found.box,
    createdAt: now,
  };
}
