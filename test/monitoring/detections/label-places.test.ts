import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Box } from "../../../src/monitoring/detections/detection.ts";
import { type Plate, placeLabels } from "../../../src/monitoring/detections/label-places.ts";

const overlap = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;

/** The labels that have a place, as boxes. */
const placed = (picture: { width: number; height: number }, plates: readonly Plate[]): readonly (Box | undefined)[] =>
  placeLabels(picture, plates).map((place, at) => place && { ...place, width: plates[at]?.width ?? 0, height: plates[at]?.height ?? 0 });

const label = { width: 90, height: 22 };
const boxes = (most: number): fc.Arbitrary<Box> =>
  fc.record({
    x: fc.double({ min: -20, max: most, noNaN: true }),
    y: fc.double({ min: -20, max: most, noNaN: true }),
    width: fc.double({ min: 1, max: most, noNaN: true }),
    height: fc.double({ min: 1, max: most, noNaN: true }),
  });

describe("labels on pictures", () => {
  it("labels: one stands above its box, and inside it at the upper edge of the picture", () => {
    const picture = { width: 960, height: 540 };
    const at = (x: number, y: number) => placeLabels(picture, [{ ...label, box: { x, y, width: 100, height: 200 } }])[0];
    expect(at(300.4, 200)).toEqual({ x: 300, y: 178 });
    expect(at(300, 5)).toEqual({ x: 300, y: 5 });
    expect(at(940, 200)).toEqual({ x: 870, y: 178 });
  });

  it("labels: those of two people side by side, and of two boxes in the same place, are apart and near their boxes", () => {
    const box = { x: 300, y: 200, width: 40, height: 120 };
    const near = placed({ width: 960, height: 540 }, [
      { ...label, box },
      { ...label, box: { ...box, x: 320 } },
      { ...label, box },
    ]);
    for (const one of near) {
      expect(near.filter((other) => one && other && overlap(one, other))).toEqual([one]);
      expect(Math.hypot((one?.x ?? 0) - box.x, (one?.y ?? 0) - box.y)).toBeLessThan(200);
    }
  });

  it("labels: any number of boxes, none covers another one, and each is within the picture", () => {
    const crowd = fc.array(fc.record({ box: boxes(900), width: fc.integer({ min: 30, max: 160 }) }), { maxLength: 25 });
    fc.assert(
      fc.property(crowd, (people) => {
        const picture = { width: 960, height: 540 };
        const places = placed(
          picture,
          people.map(({ box, width }) => ({ box, width, height: 22 })),
        );
        expect(places).not.toContain(undefined);
        places.forEach((one, at) => {
          if (!one) return;
          expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= 960 && one.y + one.height <= 540).toBe(true);
          expect(places.slice(at + 1).some((other) => other && overlap(one, other))).toBe(false);
        });
      }),
      { numRuns: 200 },
    );
  });

  it("labels: one is left out only if it fits nowhere", () => {
    const small = fc.record({ box: boxes(30), width: fc.integer({ min: 4, max: 16 }), height: fc.integer({ min: 4, max: 9 }) });
    fc.assert(
      fc.property(fc.array(small, { maxLength: 14 }), (plates) => {
        const picture = { width: 32, height: 24 };
        const places = placed(picture, plates);
        places.forEach((place, at) => {
          if (place) return;
          const { width = 0, height = 0 } = plates[at] ?? {};
          const before = places.slice(0, at);
          for (let x = 0; x + width <= picture.width; x += 1) {
            for (let y = 0; y + height <= picture.height; y += 1) {
              expect(before.some((other) => other && overlap(other, { x, y, width, height }))).toBe(true);
            }
          }
        });
      }),
      { numRuns: 200 },
    );
  });
});
