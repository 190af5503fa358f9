import { durationText } from "../../base/text/format.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { findCamera } from "../cameras/cameras-repository.ts";
import { cameraChanged } from "../cameras/status.ts";
import { announceEvents } from "../events/announcement.ts";
import { queueEnds } from "../events/evaluation-repository.ts";
import { findEvents } from "../events/events-repository.ts";
import { type CameraProblem, type Cause, causes, endedSummary, openSummary } from "./incident.ts";
import {
  closeIncident,
  endedByStatus,
  endIncidentEvent,
  insertIncident,
  insertIncidentEvent,
  type OpenIncident,
  openIncidents,
  unreportedProblems,
} from "./incidents-repository.ts";

/** Causes that neither the camera's status nor another type of message reports. */
const statusCauses: ReadonlySet<Cause> = new Set(["black", "frozen", "clock", "unreachable"]);

/**
 * Opens an incident with its event, in the caller's transaction: announced like any event, and evaluated by rules of kind
 * `camera_health`. Returns false if an incident with this cause is open already.
 */
export async function openIncident(sql: Sql, problem: CameraProblem, now: Date): Promise<boolean> {
  const { cameraId, cause, reason, beganAt } = problem;
  const stored = await insertIncident(sql, problem, now);
  if (!stored) return false;
  const summary = openSummary(stored.cameraName, cause, reason);
  const eventId = await insertIncidentEvent(sql, { incidentId: stored.incidentId, cameraId, beganAt, summary }, now);
  const events = await findEvents(sql, [eventId]);
  await announceEvents(sql, events, now);
  if (statusCauses.has(cause)) await announceStatus(sql, cameraId, summary, now);
  return true;
}

/**
 * Ends the open incidents of a camera by these causes, in the caller's transaction, and queues the news for their recipients. Returns how
 * many there were.
 */
export async function endIncidents(sql: Sql, cameraId: string, which: readonly Cause[], now: Date): Promise<number> {
  const open = await openIncidents(sql, which, cameraId);
  await endAll(sql, open, now);
  return open.length;
}

/**
 * Ends all open incidents with a cause that is no longer checked, in the caller's transaction, with the reason. Returns how many there
 * were.
 */
export async function endCause(sql: Sql, cause: Cause, why: string, now: Date): Promise<number> {
  const open = await openIncidents(sql, [cause]);
  await endAll(
    sql,
    open.map((incident) => ({ ...incident, reason: `${incident.reason}; ${why}` })),
    now,
  );
  return open.length;
}

/** Opens and ends incidents according to the status of the cameras: silence, unreadable folders. Returns how many changed. */
export async function followStatus(db: Database, now: Date): Promise<number> {
  const [problems, ended] = await db.query((sql) => Promise.all([unreportedProblems(sql), endedByStatus(sql)]));
  if (problems.length + ended.length === 0) return 0;
  return await db.transaction(async (sql) => {
    const over = new Set(ended);
    const open = (await openIncidents(sql, causes)).filter(({ incidentId }) => over.has(incidentId));
    await endAll(sql, open, now);
    let opened = 0;
    for (const problem of problems) if (await openIncident(sql, problem, now)) opened += 1;
    return open.length + opened;
  });
}

async function endAll(sql: Sql, open: readonly OpenIncident[], now: Date): Promise<void> {
  for (const incident of open) await end(sql, incident, now);
  const eventIds = open.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]));
  await queueEnds(sql, eventIds, now);
}

async function end(sql: Sql, incident: OpenIncident, now: Date): Promise<void> {
  const { incidentId, eventId, cameraId, cameraName, cause, reason, beganAt, lastSeenAt } = incident;
  // A silence ends with the picture, not when it is noticed.
  const endedAt = cause === "silent" && lastSeenAt && lastSeenAt > beganAt && lastSeenAt < now ? lastSeenAt : now;
  const lastedMs = endedAt.getTime() - beganAt.getTime();
  // Lock order: the event before its incident, as in a deletion of the event.
  if (eventId !== null) await endIncidentEvent(sql, eventId, endedAt, endedSummary(cameraName, cause, reason, lastedMs), now);
  if (!(await closeIncident(sql, incidentId, endedAt)) || eventId === null) return;
  const events = (await findEvents(sql, [eventId])).filter(({ deleted_at }) => deleted_at === null);
  await appendToJournal(
    sql,
    events.map((data) => ({ type: "event.updated", data })),
    now,
  );
  if (statusCauses.has(cause)) await announceStatus(sql, cameraId, `Over after ${durationText(lastedMs)}: ${reason}`, now);
}

async function announceStatus(sql: Sql, cameraId: string, reason: string, now: Date): Promise<void> {
  const camera = await findCamera(sql, cameraId);
  if (camera && !camera.deleted_at) await appendToJournal(sql, [cameraChanged(camera, camera.status, reason)], now);
}
