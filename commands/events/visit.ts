import { durationText, objectCountsText } from "../../src/base/text/format.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { localTime, plain } from "../output/terminal-format.ts";

type Detection = ReplyOf<"listDetections">["items"][number];
type Picture = { readonly name: string; readonly types: ReadonlyMap<number, string> };

/** A visit that is going on: the detections of an open batch, which become an event when the batch closes. */
export interface Visit {
  readonly batchId: string;
  readonly cameraId: string;
  /** Times of its first and its last picture with a detection. */
  readonly startedAt: Date;
  readonly lastAt: Date;
  /** Time its newest detection was stored. */
  readonly storedAt: Date;
  /** The most objects of each class in one picture. */
  readonly counts: Readonly<Record<string, number>>;
  /** The picture of the last detection, with the classes in it by detection id. */
  readonly picture: Picture;
}

/** The fields of a detection that a visit uses. */
export type VisitDetection = Pick<
  Detection,
  "id" | "camera_id" | "batch_id" | "event_id" | "file_path" | "detected_at" | "created_at" | "object_type"
>;

/**
 * The open visits with one more detection, by batch id. Detections of a picture must follow each other, as in lists and messages.
 * Ignores detections that belong to an event or to no batch. A repeated detection counts once.
 */
export function visitsWith(visits: ReadonlyMap<string, Visit>, detection: VisitDetection): ReadonlyMap<string, Visit> {
  const { batch_id: batchId, event_id, camera_id: cameraId, detected_at: at, created_at: storedAt } = detection;
  if (batchId === null || event_id !== null) return visits;
  const visit = visits.get(batchId);
  const picture = withObject(visit?.picture, detection);
  const here = [...picture.types.values()].filter((type) => type === detection.object_type).length;
  return new Map(visits).set(batchId, {
    ...{ batchId, cameraId, picture },
    startedAt: visit && visit.startedAt < at ? visit.startedAt : at,
    lastAt: visit && visit.lastAt > at ? visit.lastAt : at,
    storedAt: visit && visit.storedAt > storedAt ? visit.storedAt : storedAt,
    counts: { ...visit?.counts, [detection.object_type]: Math.max(here, visit?.counts[detection.object_type] ?? 0) },
  });
}

function withObject(before: Picture | undefined, { id, file_path, detected_at, object_type }: VisitDetection): Picture {
  // The frames of a video have the same path and different times
  const name = `${detected_at.getTime()} ${file_path}`;
  return { name, types: new Map(before?.name === name ? before.types : []).set(id, object_type) };
}

/** The time after its last picture when a visit no longer counts as "now": its pictures waited for the detector. */
const nowMs = 300_000;

/**
 * `now at yard: 2 people, for 40 s`. With its time instead of "now" if its pictures are old, since they were analysed late, or if the
 * visit is `stale`, since the daemon is gone and it may be over.
 */
export function visitText({ cameraId, startedAt, lastAt, counts }: Visit, now: Date, { stale = false } = {}): string {
  const who = objectCountsText(counts);
  if (stale || now.getTime() - lastAt.getTime() > nowMs)
    return `at ${plain(cameraId)} since ${localTime(startedAt)}: ${plain(who)}, not an event yet`;
  return `now at ${plain(cameraId)}: ${plain(who)}, for ${durationText(now.getTime() - startedAt.getTime())}`;
}
