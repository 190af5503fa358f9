/** Rounds to the nearest whole pixel between 0 and `limit`. */
export function pixelWithin(value: number, limit: number): number {
  return Math.round(Math.min(Math.max(value, 0), limit));
}

/** A rectangle by its edges. */
export interface Corners {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Intersection over union of two boxes, 0 to 1. */
export function iou(a: Corners, b: Corners): number {
  const shared = sharedArea(a, b);
  return shared === 0 ? 0 : shared / (areaOf(a) + areaOf(b) - shared);
}

/** The share of the smaller box that lies inside the larger one, 0 to 1. */
export function shareOfSmaller(a: Corners, b: Corners): number {
  const shared = sharedArea(a, b);
  return shared === 0 ? 0 : shared / Math.min(areaOf(a), areaOf(b));
}

function sharedArea(a: Corners, b: Corners): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width <= 0 || height <= 0 ? 0 : width * height;
}

function areaOf({ left, top, right, bottom }: Corners): number {
  return (right - left) * (bottom - top);
}
