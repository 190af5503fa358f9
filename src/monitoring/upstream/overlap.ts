import type { Box } from "./detector-boxes.ts";

const areaOf = ({ width, height }: Box): number => width * height;

function shared(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

/** Returns the area that two boxes share, divided by the area of both: 1 for the same box, 0 for separate ones. */
export function intersectionOverUnion(a: Box, b: Box): number {
  const both = shared(a, b);
  const union = areaOf(a) + areaOf(b) - both;
  return union > 0 ? both / union : 0;
}

/** Returns the share of `hidden` that `front` covers, 0 to 1. */
export function coveredShare(hidden: Box, front: Box): number {
  const area = areaOf(hidden);
  return area > 0 ? shared(hidden, front) / area : 0;
}

/** Returns the distance of the centres, in diagonals of the smaller box. */
export function centreDistance(a: Box, b: Box): number {
  const distance = Math.hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2);
  const diagonal = Math.min(Math.hypot(a.width, a.height), Math.hypot(b.width, b.height));
  return diagonal > 0 ? distance / diagonal : Number.POSITIVE_INFINITY;
}

/** Returns the area of the larger box divided by that of the smaller one. */
export function sizeRatio(a: Box, b: Box): number {
  const [small, large] = [areaOf(a), areaOf(b)].toSorted((one, other) => one - other) as [number, number];
  return small > 0 ? large / small : Number.POSITIVE_INFINITY;
}
