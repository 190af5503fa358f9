import type { Box, Size } from "../upstream/detector-boxes.ts";

/** Some detectors round position and size separately, or predict edges beyond the picture: a box may end this share outside it. */
const overshoot = 0.02;

/**
 * Returns the size of the upright picture, from the size as stored and the boxes in its pixels. Detectors turn a picture upright by its EXIF
 * data, and do not always report its size. A picture counts as turned only if a box is clearly outside it as stored, and less so once it is
 * turned.
 */
export function uprightSize(stored: Size, boxes: readonly Box[]): Size {
  const turned = { width: stored.height, height: stored.width };
  const asStored = extentOf(boxes, stored);
  return asStored > 1 + overshoot && extentOf(boxes, turned) < asStored ? turned : stored;
}

/** How far the boxes reach to the right or down, in sides of the picture: more than 1 is outside. */
function extentOf(boxes: readonly Box[], { width, height }: Size): number {
  return boxes.reduce((extent, box) => Math.max(extent, (box.x + box.width) / width, (box.y + box.height) / height), 0);
}
