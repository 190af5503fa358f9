import type { z } from "zod";
import type { Mask as MaskRecord } from "../../contract/routes/masks.ts";

/** A mask as clients see it. */
export type Mask = z.output<typeof MaskRecord>;

/** A box in shares of the picture; origin at the top left. */
export type ShareBox = Mask["box"];

/** What decides whether a mask hides a detection. */
export type MaskedPlace = Pick<Mask, "id" | "object_type" | "box">;

/** Each edge of a box may differ by this share of the mask's width or height, because boxes of the same thing jitter. */
export const edgeTolerance = 0.25;
/** But at least by this share of the picture. */
export const leastTolerance = 0.02;

/**
 * Returns the mask that hides a detection of this class in this box: the one with the lowest id among those that do, so that their order
 * does not matter; undefined if none does.
 */
export function hidingMask<T extends MaskedPlace>(masks: readonly T[], objectType: string, box: ShareBox): T | undefined {
  let hiding: T | undefined;
  for (const mask of masks) {
    if (mask.object_type === objectType && isSamePlace(mask.box, box) && (hiding === undefined || mask.id < hiding.id)) hiding = mask;
  }
  return hiding;
}

function isSamePlace(mask: ShareBox, box: ShareBox): boolean {
  const across = Math.max(leastTolerance, edgeTolerance * mask.width);
  const down = Math.max(leastTolerance, edgeTolerance * mask.height);
  return (
    Math.abs(box.x - mask.x) <= across &&
    Math.abs(box.x + box.width - mask.x - mask.width) <= across &&
    Math.abs(box.y - mask.y) <= down &&
    Math.abs(box.y + box.height - mask.y - mask.height) <= down
  );
}
