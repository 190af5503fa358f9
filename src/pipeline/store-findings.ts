import { assignToBatches, type Closed, closeDueBatches } from "../monitoring/batches/aggregation.ts";
import { insertDetections, type NewDetection } from "../monitoring/detections/detections-repository.ts";
import { type LedgerImage, markProcessed } from "../monitoring/images/images-repository.ts";
import type { Detected } from "../monitoring/upstream/detector.ts";
import type { LiveSettings } from "../platform/config/settings.ts";
import type { Sql } from "../platform/database/database.ts";
import { addJobs, type ClaimedJob, finishJobs } from "../work/jobs/jobs-repository.ts";
import { appendToJournal } from "../work/journal/journal.ts";

/** One thing that was found, before it has a row. */
export interface Finding {
  readonly found: Detected["detections"][number];
  /** Of a video: where in it, and how much of it came after that. */
  readonly frame: { readonly offsetSeconds: number; readonly secondsAfter: number } | null;
}

/** A picture at which the detector has looked. */
export interface SeenPicture {
  readonly job: ClaimedJob;
  readonly image: LedgerImage;
  readonly findings: readonly Finding[];
  readonly seen: Detected;
  /** What of it was not looked at. */
  readonly detail: string | null;
  readonly startedAt: Date;
}

/** What storing depends on. */
export interface StoringContext {
  readonly settings: LiveSettings;
  readonly batchMaxDetections: number;
  /** How long the analysis of an event waits for the enrichment of its detections. */
  readonly enrichmentWaitMs: number;
  readonly now: Date;
}

/** What was written, for those who wait for it. */
export interface Stored {
  /** Batches were closed: events, with what follows from them. */
  readonly closed: readonly Closed[];
  /** The batch that each picture's detections joined, in their order; undefined where there were none. */
  readonly batchIds: readonly (string | undefined)[];
}

/**
 * Stores what was found on pictures, in the caller's transaction: their jobs end, the ledger has their outcome, the
 * detections join the batches of their cameras and are told of. Throws `LeaseLost` when one of the jobs was taken away.
 */
export async function storeFindings(sql: Sql, pictures: readonly SeenPicture[], context: StoringContext): Promise<Stored> {
  const { settings, now } = context;
  const counted = pictures.map(({ findings }) => findings.filter(({ found }) => found.confidence >= settings.detectionConfidenceThreshold));
  const arrivals = pictures.flatMap(({ image }, at) => {
    const count = counted[at]?.length ?? 0;
    return count === 0 ? [] : [{ at, arrival: { cameraId: image.cameraId, at: image.takenAt, count } }];
  });
  // sent together, and with what needs no lock first: pictures of one camera wait for each other from here to the commit
  const [, , { batchIds, outgrown }] = await Promise.all([
    finishJobs(
      sql,
      pictures.map(({ job }) => job),
    ),
    markProcessed(
      sql,
      pictures.map(({ image, seen, detail, startedAt }, at) => ({
        imageId: image.imageId,
        detectionCount: counted[at]?.length ?? 0,
        detector: seen.detector,
        inferenceMs: seen.inferenceMs,
        detail,
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
      return (counted[at] ?? []).map((finding) => newDetection(picture.image, finding, batchIds[index] as string, now));
    }),
  );
  await appendToJournal(
    sql,
    records.map((data) => ({ type: "detection.new" as const, data })),
    now,
  );
  if (arrivals.length > 0 && (settings.visionExtractionEnabled || settings.reidEnabled)) {
    const found = arrivals.map(({ at }) => pictures[at] as SeenPicture);
    await addJobs(
      sql,
      "enrich",
      found.map(({ job, image }) => ({ subject: job.subject, priority: job.priority, position: image.takenAt, availableAt: now })),
    );
  }
  const closing = { ...settings, enrichmentWaitMs: context.enrichmentWaitMs };
  // all at once: their events are counted by camera in one order, as everybody else counts them
  const closed = await closeDueBatches(sql, now, closing, outgrown);
  const joined = new Map(arrivals.map(({ at }, index) => [at, batchIds[index]]));
  return { closed, batchIds: pictures.map((_, at) => joined.get(at)) };
}

function newDetection(image: LedgerImage, { found, frame }: Finding, batchId: string, now: Date): NewDetection {
  // a video comes when it ends, and its file has the time of its end
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
