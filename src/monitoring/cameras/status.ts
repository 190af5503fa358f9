import type { JournalEntry } from "../../contract/live.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Camera, CameraStatus } from "./camera.ts";
import { noteError, noteErrorOver, noteSeen, type StatusChange } from "./status-repository.ts";

/** Returns the message to clients about a changed camera. `previous` is null for a new camera. */
export function cameraChanged(camera: Camera, previous: CameraStatus | null, reason: string | null): JournalEntry {
  return { type: "camera_status", data: { ...camera, previous_status: previous, reason } };
}

/**
 * Records that a camera was seen at a time, perhaps long ago, in the transaction that stores its picture. Costs one statement; writes to
 * the journal only if the status changed, with the current time. Returns whether it did.
 */
export async function markCameraSeen(sql: Sql, cameraId: string, at: Date, now: Date): Promise<boolean> {
  return await tell(sql, await noteSeen(sql, cameraId, at), now);
}

/** Sets a camera to `error`: its folder is missing, unreadable or outside the allowed roots. Returns whether anything changed. */
export async function markCameraError(sql: Sql, cameraId: string, reason: string, now: Date): Promise<boolean> {
  return await tell(sql, await noteError(sql, cameraId, reason, now), now);
}

/** Clears `error` for a camera whose folder is readable again. Returns whether it was set. */
export async function clearCameraError(sql: Sql, cameraId: string, now: Date): Promise<boolean> {
  return await tell(sql, await noteErrorOver(sql, cameraId, now), now);
}

async function tell(sql: Sql, change: StatusChange | undefined, at: Date): Promise<boolean> {
  if (!change || (change.camera.status === change.previous && change.camera.status !== "error")) return false;
  await appendToJournal(sql, [cameraChanged(change.camera, change.previous, change.reason)], at);
  return true;
}
