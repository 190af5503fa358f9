import type { Sql } from "../../platform/database/database.ts";
import { promoteFirstTries } from "../../work/jobs/promote-repository.ts";
import { eventsBeingEnriched, markEnriched } from "./enrichment-repository.ts";
import { emitAboutEvents } from "./messages.ts";

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
  await emitAboutEvents(
    sql,
    done.map(({ eventId, detectionIds }) => ({
      type: "event_enriched" as const,
      subject: String(eventId),
      about: eventId,
      data: { detection_ids: [...detectionIds] },
    })),
    now,
  );
}
