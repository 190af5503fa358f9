import { mayMatch } from "../alerting/rules/immediate.ts";
import type { Rule } from "../alerting/rules/rule.ts";
import { type Arrival, assignToBatches, type Closed, closeDueBatches } from "../monitoring/batches/aggregation.ts";
import { lockBatchesOf } from "../monitoring/batches/batches-repository.ts";
import { extendEvents } from "../monitoring/batches/visits.ts";
import { insertDetections, type NewDetection } from "../monitoring/detections/detections-repository.ts";
import { queueVisitEvaluations } from "../monitoring/events/evaluation-repository.ts";
import { backlogAfterMs } from "../monitoring/events/event.ts";
import { lockEvents } from "../monitoring/events/event-detections-repository.ts";
import { type LedgerImage, markProcessed } from "../monitoring/images/images-repository.ts";
import { announceDepartures } from "../monitoring/parked/departures.ts";
import { rememberParked } from "../monitoring/parked/judge.ts";
import type { Stay } from "../monitoring/parked/observe.ts";
import type { ParkingRules } from "../monitoring/parked/place.ts";
import type { Detected } from "../monitoring/upstream/detector.ts";
import type { Size } from "../monitoring/upstream/detector-boxes.ts";
import { type LeftOut, LeftOutTally, percentText } from "../monitoring/upstream/left-out.ts";
import type { LiveSettings } from "../platform/config/settings.ts";
import type { Sql } from "../platform/database/database.ts";
import { addJobs, type ClaimedJob, finishJobs } from "../work/jobs/jobs-repository.ts";
import { appendToJournal } from "../work/journal/journal.ts";
import { countHiddenFindings, findHidden, type HiddenFindings, isShown } from "./hidden-findings.ts";
import { findParked, type ParkedFindings, placeInPicture } from "./parked-findings.ts";
import { type Continuation, dropEmptied, replaceEarlier } from "./replace-earlier.ts";

/** A detection before it has a row. */
export interface Finding {
  readonly found: Detected["detections"][number];
  /** For a video: the offset of the frame, and the seconds of video after it. */
  readonly frame: { readonly offsetSeconds: number; readonly secondsAfter: number; readonly size?: Size | undefined } | null;
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
  /** Absent: nothing is parked. */
  readonly parking?: ParkingRules | undefined;
  /** The rules that are evaluated during a visit; absent: none. */
  readonly immediateRules?: readonly Rule[];
  readonly now: Date;
}

const nothingParked: ParkingRules = { classes: [], afterMs: 0 };

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
  const { settings, parking = nothingParked, now } = context;
  const threshold = settings.detectionConfidenceThreshold;
  const counted = pictures.map(({ findings }) => findings.filter(({ found }) => found.confidence >= threshold));
  const leftOut = pictures.map((picture) => withWeak(picture, threshold));
  const versions = pictures.map(({ image }, at) => ({ image, findings: counted[at] ?? [] }));
  const continued = await replaceEarlier(sql, versions, now);
  const fresh = counted.map((findings, at) => continued.get(at)?.findings ?? findings);
  // Sent together, statements without locks first: from here to the commit, pictures of one camera wait for each other.
  const [, , , parked, hidden] = await Promise.all([
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
    lockBatchesOf(sql, [...new Set(pictures.map(({ image }) => image.cameraId))]),
    findParked(sql, pictures, parking, { threshold, now }),
    findHidden(sql, pictures),
  ]);
  // A parked or hidden object opens no batch and joins none.
  const active = fresh.map((findings) => findings.filter((finding) => !parked.stayOf.has(finding) && !hidden.maskOf.has(finding)));
  const arrivals = arrivalsOf(pictures, active, continued);
  const { batchIds, eventOf, outgrown } = await assignToBatches(
    sql,
    arrivals.map(({ arrival }) => arrival),
    { settings, maxDetections: context.batchMaxDetections, now },
  );
  const joined = new Map(arrivals.map(({ at }, index) => [at, batchIds[index]]));
  const ongoing = [...new Set(batchIds.flatMap((batchId) => eventOf.get(batchId) ?? []))];
  await lockEvents(sql, ongoing);
  await insertFindings(sql, { pictures, fresh, joined, eventOf, parked, hidden }, now);
  await dropEmptied(sql, continued);
  await extendEvents(sql, ongoing, now);
  await queueVisits(sql, arrivals, batchIds, { active, rules: context.immediateRules ?? [] }, now);
  const found = pictures.filter((_, at) => (active[at]?.length ?? 0) + (continued.get(at)?.kept ?? 0) > 0);
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
  return {
    closed,
    pictures: pictures.map((_, at) => ({ batchId: joined.get(at) ?? continued.get(at)?.batchId, leftOut: leftOut[at] ?? [] })),
  };
}

/** Returns the detections that join or open a batch, with the index of their picture. */
function arrivalsOf(
  pictures: readonly SeenPicture[],
  active: readonly (readonly Finding[])[],
  continued: ReadonlyMap<number, Continuation>,
): readonly { readonly at: number; readonly arrival: Arrival }[] {
  return pictures.flatMap(({ image }, at) => {
    const count = active[at]?.length ?? 0;
    const batchId = continued.get(at)?.batchId;
    return count === 0 ? [] : [{ at, arrival: { cameraId: image.cameraId, at: image.takenAt, count, batchId } }];
  });
}

/** Queues the evaluation of immediate rules for the visits that a live detection has just joined and that may meet one. */
async function queueVisits(
  sql: Sql,
  arrivals: readonly { readonly at: number; readonly arrival: Arrival }[],
  batchIds: readonly string[],
  { active, rules }: { readonly active: readonly (readonly Finding[])[]; readonly rules: readonly Rule[] },
  now: Date,
): Promise<void> {
  if (rules.length === 0) return;
  const candidates = arrivals.flatMap(({ at, arrival }, index) => {
    const batchId = batchIds[index];
    if (batchId === undefined || now.getTime() - arrival.at.getTime() > backlogAfterMs) return [];
    const objects = (active[at] ?? []).map(({ found }) => found);
    const met = rules.filter((rule) => mayMatch(rule, { cameraId: arrival.cameraId, objects }));
    return met.map(({ id }) => ({ batchId, ruleId: id }));
  });
  await queueVisitEvaluations(sql, candidates, now);
}

/** Stores the findings of pictures with their entries in the journal, remembers the parked ones, and makes events of those that left. */
async function insertFindings(
  sql: Sql,
  {
    pictures,
    fresh,
    joined,
    eventOf,
    parked,
    hidden,
  }: {
    readonly pictures: readonly SeenPicture[];
    readonly fresh: readonly (readonly Finding[])[];
    readonly joined: ReadonlyMap<number, string | undefined>;
    readonly eventOf: ReadonlyMap<string, number>;
    readonly parked: ParkedFindings;
    readonly hidden: HiddenFindings;
  },
  now: Date,
): Promise<void> {
  const rows = pictures.flatMap((picture, at) =>
    (fresh[at] ?? []).map((finding) => {
      const stay = parked.stayOf.get(finding);
      const maskId = hidden.maskOf.get(finding)?.id ?? null;
      const batchId = stay || maskId !== null ? null : (joined.get(at) ?? null);
      return {
        stay,
        detection: newDetection(picture, finding, { batchId, eventId: eventOf.get(batchId ?? "") ?? null, stay, maskId }, now),
      };
    }),
  );
  const records = await insertDetections(
    sql,
    rows.map(({ detection }) => detection),
  );
  await appendToJournal(
    sql,
    records.map((data) => ({ type: "detection.new" as const, data })),
    now,
  );
  const stored = rows.flatMap(({ stay }, at) => {
    const record = records[at];
    return stay && record ? [{ cameraId: record.camera_id, stay, detectionId: record.id }] : [];
  });
  await countHiddenFindings(sql, hidden, fresh.flat(), now);
  await announceDepartures(sql, (await rememberParked(sql, parked.judged, stored)).filter(isShown(hidden)), now);
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

function newDetection(
  { image, seen }: SeenPicture,
  finding: Finding,
  {
    batchId,
    eventId,
    stay,
    maskId,
  }: {
    readonly batchId: string | null;
    readonly eventId: number | null;
    readonly stay: Stay | undefined;
    readonly maskId: number | null;
  },
  now: Date,
): NewDetection {
  const { found, frame } = finding;
  // A camera uploads a video when it ends, so its file has the time of its end.
  const detectedAt = new Date(image.takenAt.getTime() - (frame?.secondsAfter ?? 0) * 1000);
  return {
    cameraId: image.cameraId,
    imageId: image.imageId,
    batchId,
    eventId,
    filePath: image.path,
    fileType: image.mediaType,
    videoOffsetSeconds: frame?.offsetSeconds ?? null,
    detectedAt,
    objectType: found.objectType,
    confidence: found.confidence,
    box: found.box,
    pictureSize: placeInPicture({ image, seen }, finding)?.size ?? null,
    maskId,
    parked: stay ? { since: new Date(stay.since), seen: stay.seen, pictures: stay.pictures } : null,
    createdAt: now,
  };
}
