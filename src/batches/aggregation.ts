import type { JournalEntry } from "../contract/live.ts";
import { linkDetections } from "../detections/detections-repository.ts";
import type { Sql } from "../engines/database.ts";
import { queueAnalyses } from "../events/analysis.ts";
import { queueEvaluations } from "../events/evaluation-repository.ts";
import { findEvents, insertEventsOfBatches } from "../events/events-repository.ts";
import { appendToJournal } from "../journal/journal.ts";
import { emit } from "../webhooks/emit.ts";
import { type BatchSettings, batchFor, batchTimes, dueAt, grow, latestDueAt, mayClose } from "./batch.ts";
import {
  camerasWithDueBatches,
  dueBatchesOf,
  growBatch,
  insertBatch,
  lockBatches,
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
  readonly settings: BatchSettings;
  readonly maxDetections: number;
  readonly now: Date;
}

/**
 * The batch that the detections belong to, opened if need be; returns its id. Runs in the transaction that stores them,
 * and has others who work on batches of this camera wait until it ends. When a batch is opened, earlier ones that may
 * close are closed with it, so that in live operation a camera has one open batch.
 */
export async function assignToBatch(sql: Sql, arrival: Arrival): Promise<string> {
  const { cameraId, at, count, settings, maxDetections, now } = arrival;
  const times = batchTimes(settings);
  // sent together: the second statement is begun, and sees what is committed, only when the first has its lock
  const [, open] = await Promise.all([lockBatches(sql, cameraId), openBatchesOf(sql, cameraId)]);
  const batch = batchFor(open, at, times);
  const span = grow(batch ?? { startedAt: at, lastDetectionAt: at }, at);
  const growth = { ...span, dueAt: dueAt(span, times), count, maxDetections, now };
  if (batch) {
    await growBatch(sql, batch.batchId, growth);
    return batch.batchId;
  }
  if (open.length > 0) await closeDueBatches(sql, now, settings, cameraId);
  return await insertBatch(sql, cameraId, growth);
}

/**
 * Closes the batches that may close, of one camera or of all: each becomes one event, not yet judged, with its
 * journal entries and its jobs for the rules and the analysis, in the caller's transaction. Returns the ids of the closed batches.
 */
export async function closeDueBatches(sql: Sql, now: Date, settings: BatchSettings, cameraId?: string): Promise<readonly string[]> {
  const times = batchTimes(settings);
  const latest = latestDueAt(now, times);
  const cameraIds = cameraId === undefined ? await camerasWithDueBatches(sql, now, latest) : [cameraId];
  if (cameraIds.length === 0) return [];
  const [, due] = await Promise.all([lockBatchesOf(sql, cameraIds), dueBatchesOf(sql, cameraIds, { now, latest, idleMs: times.idleMs })]);
  const batchIds = due.filter((batch) => mayClose(batch, now, times)).map((batch) => batch.batchId);
  if (batchIds.length === 0) return [];

  const [closed, created] = await Promise.all([markClosed(sql, batchIds, now, times.idleMs), insertEventsOfBatches(sql, batchIds, now)]);
  await linkDetections(sql, created);
  const reasons = new Map(closed.map((batch) => [batch.batchId, batch.closeReason]));
  const events = await findEvents(
    sql,
    created.map((event) => event.eventId),
  );
  await appendToJournal(
    sql,
    events.flatMap((event): JournalEntry[] => {
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
      return [
        { type: "detection.batch", data },
        { type: "event", data: event },
      ];
    }),
    now,
  );
  await emit(
    sql,
    events.map((event) => ({ type: "event_created", eventId: String(event.id), data: event })),
    now,
  );
  await queueEvaluations(
    sql,
    events.map(({ id }) => id),
    "stored",
    now,
  );
  await queueAnalyses(sql, events, now);
  return batchIds;
}
