import { randomUUID } from "node:crypto";
import type { Sql } from "../../platform/database/database.ts";
import { noteWake } from "../../work/jobs/wakes-repository.ts";
import { linkDetections } from "../detections/detections-repository.ts";
import { queueAnalyses } from "../events/analysis.ts";
import { announceEvents } from "../events/announcement.ts";
import { announceEnriched } from "../events/enrichment.ts";
import type { Event } from "../events/event.ts";
import { findEvents, insertEventsOfBatches } from "../events/events-repository.ts";
import { endVisits } from "../events/visits-repository.ts";
import { type BatchSettings, batchFor, batchTimes, dueAt, grow, latestDueAt, mayClose } from "./batch.ts";
import {
  type ClosedBatch,
  type CountedBatch,
  camerasWithDueBatches,
  dueBatchesOf,
  growBatches,
  insertBatches,
  lockBatchesOf,
  markClosed,
  openBatchesOf,
} from "./batches-repository.ts";

/** Detections of one camera at one time, about to be stored. */
export interface Arrival {
  readonly cameraId: string;
  /** The time of the detections. */
  readonly at: Date;
  readonly count: number;
  /** The batch that they join if it is still open: that of the detections that they replace. */
  readonly batchId?: string | undefined;
}

/** Batches assigned to arrivals. */
export interface Assigned {
  /** One per arrival, in the same order. */
  readonly batchIds: readonly string[];
  /** The events of those batches that have one already, by batch: the detections belong to them at once. */
  readonly eventOf: ReadonlyMap<string, number>;
  /**
   * Cameras that got another batch while one was open. Pass them to `closeDueBatches` once the detections are stored, so that in live
   * operation a camera has one open batch.
   */
  readonly outgrown: readonly string[];
}

/**
 * Finds or opens the batches for detections. Must run in the transaction that stores the detections; locks the batches of these cameras
 * until its end.
 */
export async function assignToBatches(
  sql: Sql,
  arrivals: readonly Arrival[],
  { settings, maxDetections, now }: { readonly settings: BatchSettings; readonly maxDetections: number; readonly now: Date },
): Promise<Assigned> {
  if (arrivals.length === 0) return { batchIds: [], eventOf: new Map(), outgrown: [] };
  const times = batchTimes(settings);
  const cameraIds = [...new Set(arrivals.map(({ cameraId }) => cameraId))];
  // Sent together: the second statement runs only once the first holds its locks, and then sees everything committed before.
  const [, open] = await Promise.all([lockBatchesOf(sql, cameraIds), openBatchesOf(sql, cameraIds)]);
  const batches = new Map<string, CountedBatch>(open.map((batch) => [batch.batchId, batch]));
  const opened = new Set<string>();
  const outgrown = new Set<string>();
  const batchIds = arrivals.map(({ cameraId, at: arrivedAt, count, batchId }) => {
    const ofCamera = [...batches.values()].filter((batch) => batch.cameraId === cameraId);
    const given = batchId === undefined ? undefined : batches.get(batchId);
    // a batch never becomes longer than its window
    const at = given ? new Date(Math.min(arrivedAt.getTime(), given.startedAt.getTime() + times.windowMs - 1)) : arrivedAt;
    const found = given ?? batchFor(ofCamera, at, times);
    const batch = found ?? newBatch(cameraId, at);
    if (!found) {
      opened.add(batch.batchId);
      if (ofCamera.length > 0) outgrown.add(cameraId);
    }
    const detectionCount = batch.detectionCount + count;
    batches.set(batch.batchId, { ...batch, ...grow(batch, at), detectionCount, isFull: detectionCount >= maxDetections });
    return batch.batchId;
  });
  const grown = [...new Set(batchIds)].map((id) => {
    const batch = batches.get(id) as CountedBatch;
    return { ...batch, dueAt: dueAt(batch, times) };
  });
  const [fresh, known] = [grown.filter(({ batchId }) => opened.has(batchId)), grown.filter(({ batchId }) => !opened.has(batchId))];
  await Promise.all([fresh.length > 0 && insertBatches(sql, fresh, now), known.length > 0 && growBatches(sql, known, now)]);
  const wasDueAt = new Map(open.map((batch) => [batch.batchId, dueAt(batch, times)]));
  const dueSooner = fresh.length > 0 || known.some((batch) => batch.isFull || batch.dueAt < (wasDueAt.get(batch.batchId) as Date));
  // the aggregator waits for the batch that is due next
  if (dueSooner) noteWake(sql, "batches");
  const eventOf = new Map(open.flatMap(({ batchId, eventId }) => (eventId === null ? [] : [[batchId, eventId]])));
  return { batchIds, eventOf, outgrown: [...outgrown] };
}

const newBatch = (cameraId: string, at: Date): CountedBatch => ({
  ...{ batchId: randomUUID(), cameraId, startedAt: at, lastDetectionAt: at },
  ...{ detectionCount: 0, isFull: false, eventId: null },
});

/** `enrichmentWaitMs`: maximum wait of an analysis for enrichment; without it, there is no wait. */
export type ClosingSettings = BatchSettings & { readonly enrichmentWaitMs?: number };

/** A closed batch with its event; no event if all its detections were deleted. */
export interface Closed extends ClosedBatch {
  readonly event: Event | undefined;
}

/**
 * Closes the due batches of these cameras, or of all: each becomes one event without a score, with its journal entries and its jobs for
 * rules and analysis, in the caller's transaction. A batch that has its event already closes into that. Returns the closed batches.
 */
export async function closeDueBatches(
  sql: Sql,
  now: Date,
  settings: ClosingSettings,
  only?: readonly string[],
): Promise<readonly Closed[]> {
  const times = batchTimes(settings);
  const latest = latestDueAt(now, times);
  const cameraIds = only ?? (await camerasWithDueBatches(sql, now, latest));
  if (cameraIds.length === 0) return [];
  const [, due] = await Promise.all([lockBatchesOf(sql, cameraIds), dueBatchesOf(sql, cameraIds, { now, latest, idleMs: times.idleMs })]);
  const batchIds = due.filter((batch) => mayClose(batch, now, times)).map((batch) => batch.batchId);
  if (batchIds.length === 0) return [];

  const [closed, created] = await Promise.all([markClosed(sql, batchIds, now, times.idleMs), insertEventsOfBatches(sql, batchIds, now)]);
  const known = closed.flatMap(({ eventId }) => eventId ?? []);
  const ended = await endVisits(sql, known, now);
  await linkDetections(sql, created);
  const reasons = new Map(closed.map((batch) => [batch.batchId, batch.closeReason]));
  const events = await findEvents(sql, [...created.map(({ eventId }) => eventId), ...ended]);
  const isKnown = new Set(ended);
  await announceEvents(sql, events, now, isKnown, (event) => {
    const batchId = event.batch_id ?? "";
    const data = {
      batch_id: batchId,
      camera_id: event.camera_id,
      event_id: event.id,
      started_at: event.started_at,
      ended_at: event.ended_at,
      detection_count: event.detection_count,
      close_reason: reasons.get(batchId) ?? "idle",
    };
    return [{ type: "detection.batch", data }];
  });
  await queueAnalyses(sql, events, now, settings.enrichmentWaitMs);
  await announceEnriched(
    sql,
    events.map(({ id }) => id),
    now,
  );
  return closed.map((batch) => ({ ...batch, event: events.find(({ batch_id }) => batch_id === batch.batchId) }));
}
