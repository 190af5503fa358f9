import type { Box } from "./detection.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A label to place beside a box, or at the top left without one. */
export interface Plate extends Size {
  readonly box: Box | null;
}

/**
 * Places labels within a picture, so that none covers another one: above the box, inside it at the top, below it, or else as near as
 * possible. Earlier labels have the choice. A label that fits nowhere has no place, except the first one.
 */
export function placeLabels(picture: Size, plates: readonly Plate[]): readonly (Point | undefined)[] {
  const taken: Box[] = [];
  return plates.map((plate) => {
    const best = preferred(picture, plate);
    const isFree = (point: Point): boolean => taken.every((other) => !overlaps({ ...point, ...sizeOf(plate) }, other));
    const place = taken.length === 0 ? best[0] : (best.find(isFree) ?? nearest(picture, plate, taken, best[0], isFree));
    if (place) taken.push({ ...place, ...sizeOf(plate) });
    return place;
  });
}

const sizeOf = ({ width, height }: Size): Size => ({ width, height });

/** The usual places of a label, the best one first. */
function preferred(picture: Size, { box, width, height }: Plate): [Point, ...Point[]] {
  const { x, y, width: boxWidth, height: boxHeight } = box ?? { x: 0, y: 0, width: 0, height: 0 };
  const at = (left: number, top: number): Point => ({
    x: Math.round(clamp(left, 0, picture.width - width)),
    y: Math.round(clamp(top, 0, picture.height - height)),
  });
  const right = x + boxWidth - width;
  const [above, inside, below] = [y - height, y, y + boxHeight];
  const usual = [at(x, inside), at(x, below), at(right, inside), at(right, below)] as const;
  return y >= height ? [at(x, above), at(right, above), ...usual] : [...usual];
}

/**
 * The free place nearest to `wanted`. A label that can be moved to the left and up until it touches something ends at one of these places,
 * so that one is found whenever there is space.
 */
function nearest(
  picture: Size,
  { width, height }: Size,
  taken: readonly Box[],
  wanted: Point,
  isFree: (point: Point) => boolean,
): Point | undefined {
  const columns = new Set([0, wanted.x, ...taken.flatMap((other) => [other.x + other.width, other.x - width])]);
  const rows = new Set([0, wanted.y, ...taken.flatMap((other) => [other.y + other.height, other.y - height])]);
  const fits = (at: number, length: number, whole: number): boolean => at >= 0 && at + length <= whole;
  const distance = ({ x, y }: Point): number => (x - wanted.x) ** 2 + (y - wanted.y) ** 2;
  return [...columns]
    .filter((x) => fits(x, width, picture.width))
    .flatMap((x) => [...rows].filter((y) => fits(y, height, picture.height)).map((y) => ({ x, y })))
    .filter(isFree)
    .toSorted((one, other) => distance(one) - distance(other))[0];
}

function overlaps(one: Box, other: Box): boolean {
  return one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
