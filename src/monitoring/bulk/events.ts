import type { z } from "zod";
import { type BulkResult, bulkReply, type CheckedItem, checkItems, doneItem, failedItem } from "../../contract/bulk.ts";
import { EventId, EventReview, NewEvent } from "../../contract/routes/events.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { lockBatchesOf, namedBatches } from "../batches/batches-repository.ts";
import { camerasOfDetections } from "../detections/detections-repository.ts";
import { queueAnalyses } from "../events/analysis.ts";
import { announceEvents } from "../events/announcement.ts";
import { existingEvents, markDeleted, pinnedText } from "../events/deletion-repository.ts";
import { queueEvaluations } from "../events/evaluation-repository.ts";
import { type RiskThresholds, riskLevel } from "../events/event.ts";
import { recountDetections } from "../events/event-detections-repository.ts";
import { findEvents } from "../events/events-repository.ts";
import { type Review, setsAnything, updateReviews } from "../events/review-repository.ts";
import { attachDetections, batchesWithEvents, type Candidate, insertEvents, liveCameras, lockCandidates } from "./events-repository.ts";

type NewItem = CheckedItem<z.output<typeof NewEvent>>;

/** Several events in one request: an error is reported for its item, and the other items are done in one transaction. */
export const eventBulkOperations: Pick<Operations, "createEvents" | "updateEvents" | "deleteEvents"> = {
  createEvents: async ({ body }, { db, clock, settings }) => {
    const { valid, faulty } = await checkItems(NewEvent, body.events);
    const thresholds = settings.current().riskScoreThresholds;
    const results = valid.length === 0 ? [] : await db.transaction((sql) => create(sql, valid, thresholds, clock.now()));
    return bulkReply([...faulty, ...results]);
  },

  updateEvents: async ({ body }, { db, clock, caller }) => {
    const { valid, faulty } = await checkItems(EventReview, body.events);
    const ids = await db.transaction(async (sql) => {
      const now = clock.now();
      const reviews = mergedReviews(valid.map(({ item }) => item));
      const changes = reviews.filter(setsAnything);
      const changed = changes.length === 0 ? [] : await updateReviews(sql, changes, caller?.access?.name ?? null, now);
      const events = await findEvents(
        sql,
        reviews.map(({ id }) => id),
      );
      const data = events.filter((event) => changed.includes(event.id));
      await appendToJournal(
        sql,
        data.map((event) => ({ type: "event.updated", data: event })),
        now,
      );
      return new Map(events.map((event) => [event.id, event.deleted_at === null]));
    });
    const results = valid.map(({ index, item: { id } }) => {
      if (ids.get(id)) return doneItem(index, id);
      return failedItem(index, ids.has(id) ? `id: Event ${id} is deleted` : `id: Event ${id} does not exist`, id);
    });
    return bulkReply([...faulty, ...results]);
  },

  deleteEvents: async ({ body }, { db, clock }) => {
    const { valid, faulty } = await checkItems(EventId, body.event_ids);
    const ids = [...new Set(valid.map(({ item }) => item))];
    const { deleted, existing } = await db.transaction(async (sql) => {
      const deleted = ids.length === 0 ? [] : await markDeleted(sql, ids, clock.now());
      const entries = deleted.toSorted((a, b) => a - b).map((id) => ({ type: "event.deleted" as const, data: { id } }));
      await appendToJournal(sql, entries, clock.now());
      return { deleted: new Set(deleted), existing: await existingEvents(sql, ids) };
    });
    const results = valid.map(({ index, item: id }) => {
      // Named twice: the second time it is deleted already.
      if (deleted.delete(id)) return doneItem(index, id);
      const event = existing.get(id);
      const reason = event?.isPinned ? pinnedText(id) : `Event ${id} ${event ? "is deleted already" : "does not exist"}`;
      return failedItem(index, reason, id);
    });
    return bulkReply([...faulty, ...results]);
  },
};

async function create(sql: Sql, items: readonly NewItem[], thresholds: RiskThresholds, now: Date): Promise<readonly BulkResult[]> {
  const cameras = await liveCameras(sql, [...new Set(items.map(({ item }) => item.camera_id))]);
  const detectionIds = [...new Set(items.flatMap(({ item }) => item.detection_ids))];
  const batchIds = [...new Set(items.flatMap(({ item }) => item.batch_id ?? []))];
  // The event of a detection, and the batch that becomes one, change under this lock only.
  const batchCameras = (await namedBatches(sql, batchIds)).map(({ cameraId }) => cameraId);
  await lockBatchesOf(sql, [...(await camerasOfDetections(sql, detectionIds)), ...batchCameras]);
  const candidates = await lockCandidates(sql, detectionIds);
  const openBatches = new Set((await namedBatches(sql, batchIds)).flatMap(({ batchId, isOpen }) => (isOpen ? batchId : [])));
  const usedBatches = new Set(await batchesWithEvents(sql, batchIds));
  const refused: BulkResult[] = [];
  const accepted: NewItem[] = [];
  const taken = new Set<number>();
  for (const checked of items) {
    const reason = reasonAgainst(checked.item, { cameras, candidates, openBatches, usedBatches, taken });
    if (reason !== undefined) {
      refused.push(failedItem(checked.index, reason));
      continue;
    }
    for (const id of checked.item.detection_ids) taken.add(id);
    if (checked.item.batch_id) usedBatches.add(checked.item.batch_id);
    accepted.push(checked);
  }
  if (accepted.length === 0) return refused;

  const ids = await insertEvents(
    sql,
    accepted.map(({ item }) => ({
      batchId: item.batch_id ?? null,
      cameraId: item.camera_id,
      startedAt: item.started_at,
      endedAt: item.ended_at ?? item.started_at,
      score: item.risk_score ?? null,
      level: item.risk_score == null ? null : riskLevel(item.risk_score, thresholds),
      summary: item.summary,
      reasoning: item.reasoning,
    })),
    now,
  );
  const results = accepted.map(({ index, item }, at) => {
    const id = ids[at] ?? null;
    // Another request was faster.
    return id === null ? failedItem(index, usedBatch(item.batch_id)) : doneItem(index, id);
  });
  const pairs = accepted.flatMap(({ item }, at) => {
    const eventId = ids[at] ?? null;
    return eventId === null ? [] : item.detection_ids.map((detectionId) => ({ detectionId, eventId }));
  });
  if (pairs.length > 0) {
    await attachDetections(sql, pairs);
    await recountDetections(sql, [...new Set(pairs.map(({ eventId }) => eventId))], now);
  }
  const events = await findEvents(
    sql,
    ids.filter((id) => id !== null),
  );
  await announceEvents(sql, events, now);
  const [judged, unjudged] = [events.filter((event) => event.risk_score !== null), events.filter((event) => event.risk_score === null)];
  await queueEvaluations(sql, idsOf(judged), "scored", now);
  await queueAnalyses(sql, unjudged, now);
  return [...refused, ...results];
}

function reasonAgainst(
  { camera_id: cameraId, batch_id: batchId, detection_ids: ids }: NewItem["item"],
  {
    cameras,
    candidates,
    openBatches,
    usedBatches,
    taken,
  }: {
    readonly cameras: ReadonlySet<string>;
    readonly candidates: ReadonlyMap<number, Candidate>;
    readonly openBatches: ReadonlySet<string>;
    readonly usedBatches: ReadonlySet<string>;
    readonly taken: ReadonlySet<number>;
  },
): string | undefined {
  if (!cameras.has(cameraId)) return `camera_id: Camera ${cameraId} does not exist`;
  if (batchId && openBatches.has(batchId)) return `batch_id: ${batchId} is an open batch that will become a separate event`;
  if (batchId && usedBatches.has(batchId)) return usedBatch(batchId);
  for (const [at, id] of ids.entries()) {
    const candidate = candidates.get(id);
    const against = !candidate
      ? "does not exist"
      : candidate.cameraId !== cameraId
        ? `is of camera ${candidate.cameraId}`
        : candidate.eventId !== null
          ? `belongs to event ${candidate.eventId}`
          : candidate.inOpenBatch
            ? "belongs to an open batch that will become a separate event"
            : taken.has(id) || ids.indexOf(id) !== at
              ? "is named twice"
              : undefined;
    if (against !== undefined) return `detection_ids.${at}: Detection ${id} ${against}`;
  }
  return undefined;
}

function usedBatch(batchId: string | null | undefined): string {
  return `batch_id: ${batchId} has its event already`;
}

function idsOf(events: readonly { readonly id: number }[]): readonly number[] {
  return events.map(({ id }) => id);
}

/** Merges reviews to one per event: the last one wins. */
function mergedReviews(reviews: readonly z.output<typeof EventReview>[]): readonly Review[] {
  const byId = new Map<number, Review>();
  for (const { id, reviewed, notes, pinned } of reviews) {
    const before = byId.get(id);
    byId.set(id, {
      ...{ id, reviewed: reviewed ?? before?.reviewed },
      ...{ notes: notes ?? before?.notes, pinned: pinned ?? before?.pinned },
    });
  }
  return [...byId.values()];
}
