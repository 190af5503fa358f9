/** A point in shares of a picture: 0, 0 is its top left corner and 1, 1 its bottom right one. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Limits of the zones of one camera. */
export const mostZones = 20;
export const mostCorners = 32;

/** Points this close to an edge count as on it, so that a rounded coordinate stays inside. */
const onEdge = 1e-6;

/** Tells whether a point lies in a polygon. Its edges and corners belong to it. */
export function contains(polygon: readonly Point[], point: Point): boolean {
  let inside = false;
  let before = polygon.at(-1);
  if (!before) return false;
  for (const corner of polygon) {
    if (isOnSegment(before, corner, point)) return true;
    // Count the edges that a ray to the right crosses
    if (corner.y > point.y !== before.y > point.y) {
      const crossing = corner.x + ((point.y - corner.y) * (before.x - corner.x)) / (before.y - corner.y);
      if (point.x < crossing) inside = !inside;
    }
    before = corner;
  }
  return inside;
}

/** Returns what is wrong with the corners of a zone and how to fix it, as a sentence; undefined if they are valid. */
export function polygonFault(points: readonly Point[]): string | undefined {
  if (points.length < 3) return `A zone needs at least 3 corners, this one has ${points.length}; add more`;
  if (points.length > mostCorners) return `A zone has at most ${mostCorners} corners, this one has ${points.length}; remove some`;
  const outside = points.find(({ x, y }) => !(x >= 0 && x <= 1 && y >= 0 && y <= 1));
  if (outside) return `The corner ${pointText(outside)} is outside the picture; both numbers must be from 0 to 1`;
  for (const [at, point] of points.entries()) {
    const same = points.findIndex((other, index) => index > at && distance(point, other) <= onEdge);
    if (same !== -1) return `Corners ${at + 1} and ${same + 1} are both at ${pointText(point)}; remove one`;
  }
  const crossing = firstCrossing(points);
  if (crossing) {
    return `The edges after corners ${crossing[0] + 1} and ${crossing[1] + 1} cross; list the corners in the order around the zone`;
  }
  if (areaOf(points) <= onEdge) return "The corners lie on one line; move one of them";
  return undefined;
}

/** Formats a point as the command line accepts it: `0.42,0.81`. */
export function pointText({ x, y }: Point): string {
  return `${short(x)},${short(y)}`;
}

/** The area of a polygon as a share of the picture. */
export function areaOf(points: readonly Point[]): number {
  let twice = 0;
  for (const [at, { x, y }] of points.entries()) {
    const next = points[(at + 1) % points.length] as Point;
    twice += x * next.y - next.x * y;
  }
  return Math.abs(twice) / 2;
}

/** The first two edges that cross or touch, other than neighbours in their common corner. */
function firstCrossing(points: readonly Point[]): readonly [number, number] | undefined {
  const end = (at: number) => points[(at + 1) % points.length] as Point;
  for (const [one, start] of points.entries()) {
    for (let other = one + 1; other < points.length; other += 1) {
      const isNext = other === one + 1;
      const isBefore = one === 0 && other === points.length - 1;
      const otherStart = points[other] as Point;
      if (isNext || isBefore) {
        // Neighbours share a corner, and overlap if the far end of one lies on the other.
        const [shared, a, b] = isNext ? [end(one), start, end(other)] : [start, end(one), otherStart];
        if (isOnSegment(shared, a, b) || isOnSegment(shared, b, a)) return [one, other];
      } else if (segmentsMeet(start, end(one), otherStart, end(other))) return [one, other];
    }
  }
  return undefined;
}

function segmentsMeet(a: Point, b: Point, c: Point, d: Point): boolean {
  const sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)] as const;
  if (sides[0] * sides[1] < 0 && sides[2] * sides[3] < 0) return true;
  return isOnSegment(a, b, c) || isOnSegment(a, b, d) || isOnSegment(c, d, a) || isOnSegment(c, d, b);
}

/** Positive on one side of the line through `a` and `b`, negative on the other. */
function side(a: Point, b: Point, point: Point): number {
  return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
}

function isOnSegment(a: Point, b: Point, point: Point): boolean {
  const length = distance(a, b);
  if (length <= onEdge) return distance(a, point) <= onEdge;
  if (Math.abs(side(a, b, point)) / length > onEdge) return false;
  const along = ((point.x - a.x) * (b.x - a.x) + (point.y - a.y) * (b.y - a.y)) / length;
  return along >= -onEdge && along <= length + onEdge;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function short(value: number): string {
  return String(Number(value.toFixed(4)));
}
