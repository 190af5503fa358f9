import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areaOf, contains, mostCorners, type Point, polygonFault } from "../../src/contract/polygon.ts";

const share = fc.integer({ min: 0, max: 1000 }).map((value) => value / 1000);
const point = fc.record({ x: share, y: share });

/** Corners on circles around a center, in the order of their angles: such a polygon never crosses itself. */
const star = fc
  .record({
    x: fc.integer({ min: 300, max: 700 }),
    y: fc.integer({ min: 300, max: 700 }),
    radii: fc.array(fc.integer({ min: 50, max: 290 }), { minLength: 3, maxLength: 12 }),
  })
  .map(({ x, y, radii }) => ({
    center: { x: x / 1000, y: y / 1000 },
    points: radii.map((radius, at) => {
      const angle = (2 * Math.PI * at) / radii.length;
      return { x: (x + radius * Math.cos(angle)) / 1000, y: (y + radius * Math.sin(angle)) / 1000 };
    }),
  }));

const between = (a: Point, b: Point, t: number): Point => ({ x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) });
const rotated = <T>(list: readonly T[], by: number): T[] => [...list.slice(by % list.length), ...list.slice(0, by % list.length)];
const corners = (text: string): Point[] =>
  text.split(" ").map((corner) => {
    const [x = 0, y = 0] = corner.split(",").map(Number);
    return { x, y };
  });

describe("point in polygon", () => {
  it("point in polygon: a rectangle holds what lies between its edges", () => {
    fc.assert(
      fc.property(point, point, point, (a, b, p) => {
        fc.pre(a.x !== b.x && a.y !== b.y);
        const inside = p.x >= Math.min(a.x, b.x) && p.x <= Math.max(a.x, b.x) && p.y >= Math.min(a.y, b.y) && p.y <= Math.max(a.y, b.y);
        expect(contains([a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }], p)).toBe(inside);
      }),
    );
  });

  it("point in polygon: corners and edges belong to it, and everything between them and the middle of a star", () => {
    fc.assert(
      fc.property(star, fc.nat(), share, share, ({ center, points }, at, along, inwards) => {
        const a = points[at % points.length] as Point;
        const b = points[(at + 1) % points.length] as Point;
        const onEdge = between(a, b, along);
        expect(contains(points, a)).toBe(true);
        expect(contains(points, onEdge)).toBe(true);
        expect(contains(points, between(onEdge, center, inwards))).toBe(true);
        expect(contains(points, between(center, onEdge, 1.01))).toBe(false);
      }),
    );
  });

  it("point in polygon: neither the first corner nor the direction matters", () => {
    fc.assert(
      fc.property(star, point, fc.nat(), ({ points }, p, by) => {
        expect(contains(rotated(points, by), p)).toBe(contains(points, p));
        expect(contains(points.toReversed(), p)).toBe(contains(points, p));
      }),
    );
  });

  it("point in polygon: a notch does not belong to it", () => {
    const notched = corners("0.1,0.1 0.9,0.1 0.9,0.9 0.5,0.3 0.1,0.9");
    expect(contains(notched, { x: 0.5, y: 0.7 })).toBe(false);
    expect(contains(notched, { x: 0.5, y: 0.2 })).toBe(true);
    expect(contains([], { x: 0.5, y: 0.2 })).toBe(false);
  });
});

describe("faults of a polygon", () => {
  it("polygon fault: stars have none, in either direction and from any corner", () => {
    fc.assert(
      fc.property(star, fc.nat(), ({ points }, by) => {
        expect(polygonFault(rotated(points, by))).toBeUndefined();
        expect(polygonFault(points.toReversed())).toBeUndefined();
        expect(areaOf(points)).toBeGreaterThan(0);
      }),
    );
  });

  it.each([
    ["0.1,0.1 0.9,0.9", "A zone needs at least 3 corners, this one has 2; add more"],
    ["0.1,0.1 0.9,0.9 1.1,0.5", "The corner 1.1,0.5 is outside the picture; both numbers must be from 0 to 1"],
    ["0.1,0.1 0.9,0.9 0.5,-0.5", "The corner 0.5,-0.5 is outside the picture; both numbers must be from 0 to 1"],
    ["0.1,0.1 0.9,0.1 0.9,0.9 0.1,0.1", "Corners 1 and 4 are both at 0.1,0.1; remove one"],
    ["0.1,0.1 0.9,0.9 0.9,0.1 0.1,0.9", "The edges after corners 1 and 3 cross; list the corners in the order around the zone"],
    ["0.1,0.1 0.9,0.1 0.5,0.1", "The edges after corners 1 and 2 cross; list the corners in the order around the zone"],
    ["0.1,0.1 0.9,0.1 0.9,0.9 0.5,0.1 0.1,0.9", "The edges after corners 1 and 3 cross; list the corners in the order around the zone"],
  ])("polygon fault: %s", (text, fault) => {
    expect(polygonFault(corners(text))).toBe(fault);
  });

  it("polygon fault: has a limit of corners", () => {
    const many = Array.from({ length: mostCorners + 1 }, (_, at) => ({
      x: 0.5 + 0.4 * Math.cos((2 * Math.PI * at) / (mostCorners + 1)),
      y: 0.5 + 0.4 * Math.sin((2 * Math.PI * at) / (mostCorners + 1)),
    }));
    expect(polygonFault(many)).toBe("A zone has at most 32 corners, this one has 33; remove some");
    expect(polygonFault(many.slice(0, mostCorners))).toBeUndefined();
  });

  it("polygon fault: is found for every number that is none", () => {
    expect(
      polygonFault([
        { x: Number.NaN, y: 0.1 },
        { x: 0.5, y: 0.1 },
        { x: 0.5, y: 0.5 },
      ]),
    ).toContain("outside the picture");
  });
});
