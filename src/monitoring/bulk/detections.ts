import { z } from "zod";
import { type BulkResult, bulkReply, type CheckedItem, checkItems, doneItem, failedItem } from "../../contract/bulk.ts";
import { DetectionChangeItem, type detectionBulkRoutes, NewDetectionItem } from "../../contract/routes/detections.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { lockBatchesOf, shrinkBatches } from "../batches/batches-repository.ts";
import { noSuchCamera } from "../cameras/camera.ts";
import { findCamera } from "../cameras/cameras-repository.ts";
import {
  camerasOfDetections,
  changeDetections,
  type DetectionChange,
  type DetectionPlace,
  deleteDetections,
  eventsOfDetections,
  insertDetections,
  lockDetections,
  type NewDetection,
} from "../detections/detections-repository.ts";
import { removeThumbnails } from "../detections/thumbnail.ts";
import { lockEvents, recountDetections } from "../events/event-detections-repository.ts";
import { findEvents } from "../events/events-repository.ts";

type NewItem = CheckedItem<z.output<typeof NewDetectionItem>>;

/** The use cases for several detections at once. Their events are updated: number, classes and cover. */
export const detectionBulkOperations: Pick<Operations, keyof typeof detectionBulkRoutes> = {
  createDetections: async ({ body }, { db, clock }) => {
    const { valid, faulty } = await checkItems(NewDetectionItem, body.detections);
    const now = clock.now();
    const results = await db.transaction(async (sql) => {
      const refusals = await refusalsOf(sql, valid);
      const accepted = valid.filter(({ index }) => !refusals.has(index));
      const records = await insertDetections(
        sql,
        accepted.map(({ item }) => newDetection(item, now)),
      );
      await appendToJournal(
        sql,
        records.map((data) => ({ type: "detection.new" as const, data })),
        now,
      );
      await followDetections(
        sql,
        records.map((record) => record.event_id),
        now,
      );
      return [
        ...accepted.map(({ index }, at) => doneItem(index, records[at]?.id ?? 0)),
        ...[...refusals].map(([index, error]) => failedItem(index, error)),
      ];
    });
    return bulkReply([...faulty, ...results]);
  },

  updateDetections: async ({ body }, { db, clock, config, log }) => {
    const { valid, faulty } = await checkItems(DetectionChangeItem, body.detections);
    const now = clock.now();
    const changes = valid.map(({ item }) => ({ id: item.id, objectType: item.object_type, confidence: item.confidence }));
    const changed = changes.filter(({ objectType, confidence }) => objectType !== undefined || confidence !== undefined);
    const there = await db.transaction(async (sql) => {
      const places = await lockPlaces(
        sql,
        changes.map(({ id }) => id),
      );
      const ids = new Set(places.map(({ id }) => id));
      await changeDetections(
        sql,
        merged(changed).filter(({ id }) => ids.has(id)),
      );
      const affected = new Set(changed.map(({ id }) => id));
      await followDetections(
        sql,
        places.filter(({ id }) => affected.has(id)).map(({ eventId }) => eventId),
        now,
      );
      return ids;
    });
    await removeThumbnails(
      changed.map(({ id }) => id).filter((id) => there.has(id)),
      { dataDir: config.dataDir, log },
    );
    const results = valid.map(({ index, item: { id } }) => (there.has(id) ? doneItem(index, id) : unknownItem(index, id)));
    return bulkReply([...faulty, ...results]);
  },

  deleteDetections: async ({ body }, { db, clock, config, log }) => {
    const { valid, faulty } = await checkItems(z.int(), body.detection_ids);
    const now = clock.now();
    const { there, pinned } = await db.transaction(async (sql) => {
      const named = await lockPlaces(
        sql,
        valid.map(({ item }) => item),
      );
      const places = named.filter(({ isPinned }) => !isPinned);
      const ids = places.map(({ id }) => id);
      await deleteDetections(sql, ids);
      await shrinkBatches(
        sql,
        places.flatMap(({ batchId }) => batchId ?? []),
      );
      await followDetections(
        sql,
        places.map(({ eventId }) => eventId),
        now,
      );
      return { there: ids, pinned: new Map(named.filter(({ isPinned }) => isPinned).map(({ id, eventId }) => [id, eventId])) };
    });
    await removeThumbnails(there, { dataDir: config.dataDir, log });
    const left = new Set(there);
    // An id that is named twice is deleted already the second time.
    const results = valid.map(({ index, item: id }) => {
      const eventId = pinned.get(id);
      if (eventId) return failedItem(index, `Detection ${id} belongs to event ${eventId}, which is pinned`, id);
      return left.delete(id) ? doneItem(index, id) : unknownItem(index, id);
    });
    return bulkReply([...faulty, ...results]);
  },
};

/** Explains why well-formed items cannot be stored: their camera or event does not exist. */
async function refusalsOf(sql: Sql, items: readonly NewItem[]): Promise<ReadonlyMap<number, string>> {
  const cameras = new Map<string, string | undefined>();
  for (const cameraId of new Set(items.map(({ item }) => item.camera_id))) {
    const camera = await findCamera(sql, cameraId);
    cameras.set(cameraId, camera && !camera.deleted_at ? undefined : noSuchCamera(cameraId, camera).message);
  }
  const events = await lockEvents(sql, [...new Set(items.flatMap(({ item }) => item.event_id ?? []))]);
  const eventOf = new Map(events.filter(({ isDeleted }) => !isDeleted).map((event) => [event.id, event]));
  const refusals = new Map<number, string>();
  for (const { index, item } of items) {
    const camera = cameras.get(item.camera_id);
    const eventId = item.event_id ?? null;
    if (camera !== undefined) refusals.set(index, camera);
    else if (eventId !== null && eventOf.get(eventId)?.cameraId !== item.camera_id) {
      refusals.set(index, `Camera ${item.camera_id} has no event ${eventId}, or it is deleted`);
    } else if (eventId !== null && eventOf.get(eventId)?.isIncident) {
      refusals.set(index, `Event ${eventId} is an incident of the camera, which has no detections`);
    }
  }
  return refusals;
}

function newDetection(item: NewItem["item"], now: Date): NewDetection {
  const { bbox_x: x, bbox_y: y, bbox_width: width, bbox_height: height } = item;
  return {
    cameraId: item.camera_id,
    imageId: null,
    batchId: null,
    eventId: item.event_id ?? null,
    filePath: item.file_path,
    fileType: item.file_type ?? null,
    videoOffsetSeconds: null,
    detectedAt: item.detected_at,
    objectType: item.object_type,
    confidence: item.confidence,
    box:
      typeof x === "number" && typeof y === "number" && typeof width === "number" && typeof height === "number"
        ? { x, y, width, height }
        : null,
    createdAt: now,
  };
}

/**
 * Locks and returns the existing detections. No event can be created from them meanwhile, which would count outdated values. Lock order:
 * events before detections.
 */
async function lockPlaces(sql: Sql, ids: readonly number[]): Promise<readonly (DetectionPlace & { readonly isPinned: boolean })[]> {
  await lockBatchesOf(sql, await camerasOfDetections(sql, ids));
  const events = await lockEvents(sql, await eventsOfDetections(sql, ids));
  const pinned = new Set(events.flatMap(({ id, isPinned }) => (isPinned ? [id] : [])));
  const places = await lockDetections(sql, ids);
  return places.map((place) => ({ ...place, isPinned: place.eventId !== null && pinned.has(place.eventId) }));
}

/** Updates events after their detections and announces the visible ones. */
async function followDetections(sql: Sql, eventIds: readonly (number | null)[], now: Date): Promise<void> {
  const ids = [...new Set(eventIds.filter((id) => id !== null))];
  if (ids.length === 0) return;
  await lockEvents(sql, ids);
  await recountDetections(sql, ids, now);
  const events = await findEvents(sql, ids);
  await appendToJournal(
    sql,
    events.filter((event) => !event.deleted_at).map((data) => ({ type: "event.updated" as const, data })),
    now,
  );
}

/** Merges changes to one per detection: the last one wins. */
function merged(changes: readonly DetectionChange[]): readonly DetectionChange[] {
  const byId = new Map<number, DetectionChange>();
  for (const { id, objectType, confidence } of changes) {
    const before = byId.get(id);
    byId.set(id, { id, objectType: objectType ?? before?.objectType, confidence: confidence ?? before?.confidence });
  }
  return [...byId.values()];
}

function unknownItem(index: number, id: number): BulkResult {
  return failedItem(index, `Detection ${id} does not exist`, id);
}
