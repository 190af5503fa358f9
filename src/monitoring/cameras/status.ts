import type { JournalEntry } from "../../contract/live.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Camera, CameraStatus } from "./camera.ts";
import { noteError, noteErrorOver, noteSeen, type StatusChange } from "./status-repository.ts";

/** What clients are told of a camera that changed. `previous` is null for a new camera. */
export function cameraChanged(camera: Camera, previous: CameraStatus | null, reason: string | null): JournalEntry {
  return { type: "camera_status", data: { ...camera, previous_status: previous, reason } };
}

/**
 * Notes that a camera was seen `at` a time, perhaps long ago, in the transaction that stores its picture. Costs one statement; the journal is
 * written only when the status changed, with the time of now. Returns whether it did.
 */
export async function markCameraSeen(sql: Sql, cameraId: string, at: Date, now: Date): Promise<boolean> {
  return await tell(sql, await noteSeen(sql, cameraId, at), now);
}

/** Sets a camera to `error`: its folder is missing, unreadable or outside of the allowed roots. Returns whether anything changed. */
export async function markCameraError(sql: Sql, cameraId: string, reason: string, now: Date): Promise<boolean> {
  return await tell(sql, await noteError(sql, cameraId, reason, now), now);
}

/** Takes `error` from a camera whose folder is well again. Returns whether it had it. */
export async function clearCameraError(sql: Sql, cameraId: string, now: Date): Promise<boolean> {
  return await tell(sql, await noteErrorOver(sql, cameraId, now), now);
}

async function tell(sql: Sql, change: StatusChange | undefined, at: Date): Promise<boolean> {
  if (!change || (change.camera.status === change.previous && change.camera.status !== "error")) return false;
  await appendToJournal(sql, [cameraChanged(change.camera, change.previous, change.reason)], at);
  return true;
}
