import { hidingMask, type Mask } from "../monitoring/masks/mask.ts";
import { countHidden, masksOf } from "../monitoring/masks/masks-repository.ts";
import type { GoneFrom } from "../monitoring/parked/judge.ts";
import type { Sql } from "../platform/database/database.ts";
import { placeInPicture } from "./parked-findings.ts";
import type { Finding, SeenPicture } from "./store-findings.ts";

/** The masks of the cameras, and the findings that they hide. */
export interface HiddenFindings {
  readonly masks: readonly Mask[];
  readonly maskOf: ReadonlyMap<Finding, Mask>;
}

/** Finds out which findings are hidden by masks: they are stored, but join no batch. */
export async function findHidden(sql: Sql, pictures: readonly SeenPicture[]): Promise<HiddenFindings> {
  const masks = await masksOf(sql, [...new Set(pictures.map(({ image }) => image.cameraId))]);
  const maskOf = new Map<Finding, Mask>();
  if (masks.length === 0) return { masks, maskOf };
  for (const picture of pictures) {
    const own = masks.filter(({ camera_id }) => camera_id === picture.image.cameraId);
    for (const finding of own.length === 0 ? [] : picture.findings) {
      const place = placeInPicture(picture, finding);
      const mask = place && hidingMask(own, finding.found.objectType, place.box);
      if (mask) maskOf.set(finding, mask);
    }
  }
  return { masks, maskOf };
}

/** Counts the stored findings that masks hid. */
export async function countHiddenFindings(sql: Sql, { maskOf }: HiddenFindings, stored: readonly Finding[], now: Date): Promise<void> {
  const counts = new Map<number, number>();
  for (const finding of stored) {
    const mask = maskOf.get(finding);
    if (mask) counts.set(mask.id, (counts.get(mask.id) ?? 0) + 1);
  }
  await countHidden(sql, counts, now);
}

/** Whether something that left was in a place that no mask hides. */
export function isShown({ masks }: HiddenFindings): (gone: GoneFrom) => boolean {
  return ({ cameraId, place }) => {
    const own = masks.filter(({ camera_id }) => camera_id === cameraId);
    return hidingMask(own, place.objectType, place.box) === undefined;
  };
}
