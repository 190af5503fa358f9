import { type CameraObservation, type Judged, judgeParked } from "../monitoring/parked/judge.ts";
import type { Sight } from "../monitoring/parked/matching.ts";
import type { Stay } from "../monitoring/parked/observe.ts";
import type { ParkingRules } from "../monitoring/parked/place.ts";
import { uprightSize } from "../monitoring/parked/upright.ts";
import type { Size } from "../monitoring/upstream/detector-boxes.ts";
import type { Sql } from "../platform/database/database.ts";
import type { Finding, SeenPicture } from "./store-findings.ts";

/** The findings that are parked, with the memories of their cameras. */
export interface ParkedFindings {
  readonly judged: Judged;
  readonly stayOf: ReadonlyMap<Finding, Stay>;
}

/** Weak detections below this confidence are noise. */
const leastConfidence = 0.2;

/** Finds out which findings are of parked objects. Lock the batches of the cameras first. */
export async function findParked(
  sql: Sql,
  pictures: readonly SeenPicture[],
  rules: ParkingRules,
  { threshold, now }: { readonly threshold: number; readonly now: Date },
): Promise<ParkedFindings> {
  const shown = pictures.map((picture) => shownIn(picture, threshold));
  const observations = pictures.flatMap(({ image }, at): readonly CameraObservation[] => {
    const frames = shown[at]?.map((frame) => frame.map(({ sight }) => sight));
    // A time in the future comes from a wrong clock, and would make all later pictures old.
    return frames ? [{ cameraId: image.cameraId, at: Math.min(image.takenAt.getTime(), now.getTime()), frames }] : [];
  });
  const judged = await judgeParked(sql, observations, rules);
  const stayOf = new Map<Finding, Stay>();
  for (const [at, frames] of shown.filter((frames) => frames !== undefined).entries()) {
    for (const [index, frame] of frames.entries()) {
      for (const [position, { finding }] of frame.entries()) {
        const stay = judged.stays[at]?.[index]?.[position];
        if (stay) stayOf.set(finding, stay);
      }
    }
  }
  return { judged, stayOf };
}

/** A finding as a share of its picture. */
interface Shown {
  readonly finding: Finding;
  readonly sight: Sight;
}

/**
 * Returns the findings of each frame; undefined if the size of the picture is unknown. Findings without a box are nowhere. A video shows
 * only its frames with findings: the others may be dark or blurred.
 */
function shownIn({ image, findings, seen }: SeenPicture, threshold: number): readonly (readonly Shown[])[] | undefined {
  const { width, height } = seen.width === null || seen.height === null ? image : seen;
  const whole = width === null || height === null ? undefined : { width, height };
  const frames = new Map<number | null, Shown[]>(image.mediaType?.startsWith("video/") ? [] : [[null, []]]);
  const offsetOf = ({ frame }: Finding): number | null => frame?.offsetSeconds ?? null;
  for (const offset of new Set(findings.map(offsetOf))) {
    const found = findings.filter((finding) => offsetOf(finding) === offset);
    const stored = found[0]?.frame?.size ?? whole;
    if (!stored) return undefined;
    // The ledger has the size as stored; the boxes are those of the upright picture.
    const size = uprightSize(
      stored,
      found.flatMap(({ found: { box } }) => box ?? []),
    );
    const shown = found.flatMap((finding) => sightOf(finding, size, threshold));
    if (shown.length > 0) frames.set(offset, shown);
  }
  return whole || frames.size > 0 ? [...frames.values()] : undefined;
}

/** Returns where a finding is, in shares of its picture, and the size of that; undefined without a box, and if the size is unknown. */
export function placeInPicture(
  { image, seen }: Pick<SeenPicture, "image" | "seen">,
  { found: { box }, frame }: Finding,
): { readonly box: Sight["box"]; readonly size: Size } | undefined {
  const { width, height } = seen.width === null || seen.height === null ? image : seen;
  const stored = frame?.size ?? (width === null || height === null ? undefined : { width, height });
  if (!box || !stored) return undefined;
  const size = uprightSize(stored, [box]);
  return { box: shareOf(box, size), size };
}

/** Returns none for a finding without a box or of hardly any confidence. */
function sightOf(finding: Finding, size: Size, threshold: number): readonly Shown[] {
  const { objectType, confidence, box } = finding.found;
  if (!box || confidence < Math.min(threshold, leastConfidence)) return [];
  return [{ finding, sight: { objectType, box: shareOf(box, size), isWeak: confidence < threshold } }];
}

function shareOf({ x, y, width, height }: NonNullable<Finding["found"]["box"]>, size: Size): Sight["box"] {
  return { x: x / size.width, y: y / size.height, width: width / size.width, height: height / size.height };
}
