import fc from "fast-check";
import { expect, test } from "vitest";
import { uprightSize } from "../../../src/monitoring/parked/upright.ts";

const stored = { width: 1000, height: 500 };
const turned = { width: 500, height: 1000 };

const boxIn = ({ width, height }: typeof stored, beyond: number) =>
  fc
    .record({ x: fc.integer({ min: 0, max: width - 1 }), y: fc.integer({ min: 0, max: height - 1 }) })
    .chain(({ x, y }) =>
      fc
        .record({ right: fc.integer({ min: x + 1, max: width + beyond }), bottom: fc.integer({ min: y + 1, max: height + beyond }) })
        .map(({ right, bottom }) => ({ x, y, width: right - x, height: bottom - y })),
    );

test("upright size: boxes inside the picture, or a few pixels beyond its edge, leave it as stored", () => {
  fc.assert(
    fc.property(fc.array(boxIn(stored, 10)), (boxes) => {
      expect(uprightSize(stored, boxes)).toEqual(stored);
    }),
  );
});

test("upright size: a box clearly below the picture means that it is turned, whatever the others are", () => {
  const low = { x: 100, y: 400, width: 200, height: 300 };
  fc.assert(
    fc.property(fc.array(boxIn(turned, 5)), fc.nat(5), (boxes, at) => {
      expect(uprightSize(stored, boxes.toSpliced(at, 0, low))).toEqual(turned);
    }),
  );
});

test("upright size: a box far beyond the longer side cannot mean that it is turned", () => {
  expect(uprightSize(stored, [{ x: 900, y: 100, width: 200, height: 100 }])).toEqual(stored);
});
