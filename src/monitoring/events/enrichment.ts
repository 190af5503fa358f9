import type { Sql } from "../../platform/database/database.ts";
import { hastenFirstTries } from "../../work/jobs/jobs-repository.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { eventsBeingEnriched, markEnriched } from "./enrichment-repository.ts";

/**
 * Has the analyses of events start that waited for an enrichment only, where nothing can be expected in time any more.
 * The batches of their camera are locked, so that no two pictures wait for each other's end.
 */
export async function hastenAnalyses(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
  if (eventIds.length === 0) return;
  const awaited = await eventsBeingEnriched(sql, eventIds, { fresh: true });
  const ready = eventIds.filter((id) => !awaited.has(id));
  await hastenFirstTries(sql, "analyze", ready.map(String), now);
}

/** Tells of events that the enrichment of all their detections is done: of each once, and only when something was found out. */
export async function tellEnriched(sql: Sql, eventIds: readonly number[], now: Date): Promise<void> {
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
