import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edgeTolerance, hidingMask, leastTolerance } from "../../../src/monitoring/masks/mask.ts";

const share = (from: number, to: number) => fc.integer({ min: from * 1000, max: to * 1000 }).map((value) => value / 1000);
const box = fc.record({ x: share(0, 0.5), y: share(0, 0.5), width: share(0.01, 0.5), height: share(0.01, 0.5) });
const mask = fc.record({ id: fc.integer({ min: 1, max: 50 }), object_type: fc.constantFrom("person", "car"), box });

describe("masks", () => {
  it("mask: hides its own box and one that jitters within the tolerance, and nothing of another class", () => {
    fc.assert(
      fc.property(mask, share(-1, 1), share(-1, 1), (one, across, down) => {
        const dx = 0.49 * across * Math.max(leastTolerance, edgeTolerance * one.box.width);
        const dy = 0.49 * down * Math.max(leastTolerance, edgeTolerance * one.box.height);
        const { x, y, width, height } = one.box;
        const near = { x: x + dx, y: y + dy, width: width + dx, height: height - dy };
        expect(hidingMask([one], one.object_type, near)).toBe(one);
        expect(hidingMask([one], "dog", one.box)).toBeUndefined();
      }),
    );
  });

  it("mask: does not hide a box that lies elsewhere, or is much larger", () => {
    fc.assert(
      fc.property(mask, (one) => {
        const { x, y, width, height } = one.box;
        const far = Math.max(leastTolerance, edgeTolerance * width) + 0.001;
        expect(hidingMask([one], one.object_type, { x: x + far, y, width, height })).toBeUndefined();
        expect(hidingMask([one], one.object_type, { x, y, width: width + far, height })).toBeUndefined();
      }),
    );
  });

  it("masks: their order does not matter", () => {
    fc.assert(
      fc.property(fc.uniqueArray(mask, { selector: ({ id }) => id }), box, (masks, place) => {
        const hiding = hidingMask(masks, "person", place);
        expect(hidingMask(masks.toReversed(), "person", place)).toBe(hiding);
        if (hiding) expect(masks.filter(({ id }) => id < hiding.id).map((one) => hidingMask([one], "person", place))).not.toContain(hiding);
      }),
    );
  });
});
