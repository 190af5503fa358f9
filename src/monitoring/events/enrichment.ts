import type { Sql } from "../../platform/database/database.ts";
import { promoteFirstTries } from "../../work/jobs/promote-repository.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { eventsBeingEnriched, markEnriched } from "./enrichment-repository.ts";

/**
 * Starts analyses that only waited for an enrichment which can no longer finish in time. Locks the batches of the camera, so that two
 * pictures do not wait for each other.
 */
export async function releaseAnalyses(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
  if (eventIds.length === 0) return;
  const awaited = await eventsBeingEnriched(sql, eventIds, { fresh: true });
  const ready = eventIds.filter((id) => !awaited.has(id));
  await promoteFirstTries(sql, "analyze", ready.map(String), now);
}

/** Announces that all detections of events are enriched: once per event, and only if something was found. */
export async function announceEnriched(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
  if (eventIds.length === 0) return;
  const unfinished = await eventsBeingEnriched(sql, eventIds, { fresh: false });
  const done = await markEnriched(
    sql,
    eventIds.filter((id) => !unfinished.has(id)),
    now,
  );
  await emit(
    sql,
    done.map(({ eventId, cameraId, detectionIds }) => ({
      type: "event_enriched" as const,
      eventId: String(eventId),
      data: { event_id: eventId, camera_id: cameraId, detection_ids: [...detectionIds] },
    })),
    now,
  );
}
