import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { endIncidents, openIncident } from "../incidents/incidents.ts";
import { openIncidents } from "../incidents/incidents-repository.ts";
import { confirmMasks, doubtMasks } from "../masks/masks-repository.ts";
import { forgetParked } from "../parked/parked-repository.ts";
import { confirmZones, doubtZones } from "../zones/zones-repository.ts";
import { type ChangeType, type Comparison, compareViews, isBlank, learned } from "./change.ts";
import { type Frame, packFrame, unpackFrame } from "./frame.ts";
import { insertSceneChange, reportedViews, type StoredView, saveView, viewsOf } from "./views-repository.ts";

/** Number of consecutive frames that must show a change. */
const confirmations = 3;
const learnEveryMs = 60_000;
const learnedShare = 0.05;
const usualAtFirst = 0.92;

/** State that a worker keeps about a camera between two checks. */
export interface ChangeStreak {
  /** Consecutive frames that showed another view, and the time of the first. */
  count: number;
  since: Date;
}

/** A check of a camera. */
export interface ViewCheck {
  readonly cameraId: string;
  readonly frame: Frame;
  readonly filePath: string;
  readonly takenAt: Date;
}

/**
 * Compares a frame with the camera's reference for its light, in the caller's transaction. A view that differs on three consecutive
 * frames is stored and reported once per incident; a view that is back to normal ends the incident. The reference slowly learns normal
 * views. Returns whether anything was reported.
 */
export async function checkView(sql: Sql, check: ViewCheck, streak: ChangeStreak, now: Date): Promise<boolean> {
  const { cameraId, frame } = check;
  const views = await viewsOf(sql, cameraId);
  const own = views.find(({ light }) => light === frame.light);
  const reference = own ?? (await blankAgainst(frame, views));
  if (!reference) {
    streak.count = 0;
    // While a camera sees something else, a new light shows neither its usual view nor a return to normal.
    const lasts = (await openIncidents(sql, ["view"], cameraId)).length > 0;
    if (!lasts) {
      await saveView(sql, cameraId, { light: frame.light, view: await packFrame(frame), similarity: usualAtFirst, updatedAt: now });
    }
    return false;
  }
  const known = await unpackFrame(reference.view, frame);
  const { similarity, change } = compareViews(frame, known, reference.similarity);
  if (change === null) {
    streak.count = 0;
    if (!own) return false;
    if (now.getTime() - own.updatedAt.getTime() >= learnEveryMs) {
      const view = await packFrame(learned(known, frame, learnedShare));
      await saveView(sql, cameraId, {
        ...own,
        view,
        similarity: own.similarity + learnedShare * (similarity - own.similarity),
        updatedAt: now,
      });
    }
    const ended = (await endIncidents(sql, cameraId, ["view"], now)) > 0;
    // Back to the view in which they were drawn
    if (ended) await Promise.all([confirmZones(sql, cameraId, now), confirmMasks(sql, cameraId)]);
    return ended;
  }
  if (await isReported(sql, cameraId, frame)) {
    streak.count = 0;
    return false;
  }
  if (streak.count === 0) streak.since = check.takenAt;
  streak.count += 1;
  if (streak.count < confirmations) return false;
  streak.count = 0;
  await report(sql, check, { similarity, change }, streak.since, now);
  return true;
}

/** In a new light, a blank frame is no reference: it is compared with the reference of another light. */
async function blankAgainst(frame: Frame, views: readonly StoredView[]): Promise<StoredView | undefined> {
  for (const view of views) if (isBlank(frame, await unpackFrame(view.view, frame))) return view;
  return undefined;
}

/** Tells whether a frame shows a reported view, in this light or as far as another light allows. */
async function isReported(sql: Sql, cameraId: string, frame: Frame): Promise<boolean> {
  for (const view of await reportedViews(sql, cameraId)) {
    if (compareViews(frame, await unpackFrame(view, frame), usualAtFirst).change === null) return true;
  }
  return false;
}

async function report(sql: Sql, check: ViewCheck, { similarity, change }: Comparison, since: Date, now: Date): Promise<void> {
  const { cameraId, frame, filePath } = check;
  const type = change ?? "unknown";
  // Other places are in view now.
  if (type === "view_moved") await forgetParked(sql, cameraId);
  const view = await packFrame(frame);
  const record = await insertSceneChange(sql, { cameraId, type, similarity, filePath, light: frame.light, view }, now);
  const reason = `${what[type]} (similarity ${similarity.toFixed(2)}); acknowledge scene change ${record.id} if it is meant to be so`;
  await appendToJournal(sql, [{ type: "scene_change", data: record }], now);
  const data = { kind: "scene_change", camera_id: cameraId, detected_at: now, score: similarity, reason } as const;
  await emit(sql, [{ type: "anomaly_detected", eventId: `scene_change:${record.id}`, data }], now);
  if (type === "view_moved") await Promise.all([doubtZones(sql, cameraId, since), doubtMasks(sql, cameraId, since)]);
  await openIncident(sql, { cameraId, cause: "view", reason, beganAt: since }, now);
}

const what: Readonly<Record<ChangeType, string>> = {
  view_blocked: "The view is blocked",
  view_moved: "The camera was moved",
  view_blurred: "The view is blurred",
  unknown: "The view has changed",
};
