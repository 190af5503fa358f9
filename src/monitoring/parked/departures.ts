import { durationText } from "../../base/text/format.ts";
import type { Sql } from "../../platform/database/database.ts";
import { queueAnalyses } from "../events/analysis.ts";
import { announceEvents } from "../events/announcement.ts";
import { findEvents } from "../events/events-repository.ts";
import { insertDepartures } from "./departures-repository.ts";
import type { GoneFrom } from "./judge.ts";

/**
 * Makes an event of everything parked that left, in the caller's transaction: announced, evaluated by rules and analysed like any event.
 * Its detection is the last one before it left. The caller holds the locks of the cameras' batches.
 */
export async function announceDepartures(sql: Sql, gone: readonly GoneFrom[], now: Date): Promise<void> {
  if (gone.length === 0) return;
  const departures = gone.map(({ cameraId, at, place: { objectType, since, detectionId } }) => ({
    cameraId,
    objectType,
    parkedSince: new Date(since),
    at: new Date(at),
    summary: `A ${objectType} left that was parked for ${durationText(at - since)}.`,
    detectionId,
  }));
  const eventIds = await insertDepartures(
    sql,
    departures.toSorted((a, b) => (a.cameraId < b.cameraId ? -1 : 1)),
    now,
  );
  const events = await findEvents(sql, eventIds);
  await announceEvents(sql, events, now);
  await queueAnalyses(sql, events, now);
}
