import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { linkDetections } from "../detections/detections-repository.ts";
import { recountDetections } from "../events/event-detections-repository.ts";
import { findEvents } from "../events/events-repository.ts";
import { extendOngoing, insertOngoing } from "../events/visits-repository.ts";
import { setEventOfBatch } from "./batches-repository.ts";

/**
 * Creates the event of an open batch in the caller's transaction, which holds the lock of the camera, and shows it to clients. Webhooks,
 * the other rules and the analysis follow when the batch closes. Returns its id; undefined if the batch has no detections or its event
 * exists.
 */
export async function beginEvent(sql: Sql, batchId: string, now: Date): Promise<number | undefined> {
  const eventId = await insertOngoing(sql, batchId, now);
  if (eventId === undefined) return undefined;
  await setEventOfBatch(sql, batchId, eventId);
  await linkDetections(sql, [{ eventId, batchId }]);
  const events = await findEvents(sql, [eventId]);
  await appendToJournal(
    sql,
    events.map((data) => ({ type: "event" as const, data })),
    now,
  );
  return eventId;
}

/** Updates ongoing events after detections joined them, in the caller's transaction, which has locked them, and shows them to clients. */
export async function extendEvents(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
  if (eventIds.length === 0) return;
  await recountDetections(sql, eventIds, now);
  const events = await findEvents(sql, await extendOngoing(sql, eventIds, now));
  await appendToJournal(
    sql,
    events.map((data) => ({ type: "event.updated" as const, data })),
    now,
  );
}
