import fc from "fast-check";
import { expect, test } from "vitest";
import { iou } from "../../../daemon/builtin/detector/boxes.ts";
import { coarseAnchors, fineAnchors } from "../../../daemon/builtin/detector/ssd/anchors.ts";
import { type Candidate, confidenceOf, type Look, modelClasses, readCandidates } from "../../../daemon/builtin/detector/ssd/candidates.ts";
import { mergeLooks, oneEach } from "../../../daemon/builtin/detector/ssd/merge.ts";

const share = fc.double({ min: 0, max: 0.9, noNaN: true });
const candidateOf = (look: Look) =>
  fc.record({ type: fc.constantFrom(...modelClasses), score: share, x: share, y: share, width: share, height: share }).map(
    ({ type, score, x, y, width, height }): Candidate => ({
      ...{ type, score, look },
      corners: { left: x, top: y, right: x + width / 9 + 0.001, bottom: y + height / 9 + 0.001 },
    }),
  );
const bothLooks = fc.tuple(...(["whole", "closer"] as const).map((look) => fc.array(candidateOf(look), { maxLength: 20 })));

test("bundled model: has the 1,917 anchors of SSD at 300 pixels, in the order of the rows", () => {
  const anchors = [...fineAnchors({ width: 300, height: 300 }), ...coarseAnchors()];
  expect(anchors).toHaveLength(1_917);
  const corners = [0, 1, 1_084, 1_917 - 1].map((index) => {
    const { x, y, width, height } = anchors[index] as (typeof anchors)[number];
    return [y - height / 2, x - width / 2, y + height / 2, x + width / 2].map((value) => Number(value.toFixed(4)));
  });
  // The values of the original graph.
  expect(corners).toEqual([
    [-0.0237, -0.0237, 0.0763, 0.0763],
    [-0.0444, -0.1151, 0.097, 0.1677],
    [-0.0737, -0.1975, 0.1737, 0.2975],
    [0.0127, 0.0127, 0.9873, 0.9873],
  ]);
});

test("bundled model: a box without an encoding is its anchor, as many pixels large in an enlarged picture as in a square", () => {
  const anchors = fineAnchors({ width: 540, height: 300 });
  expect(anchors).toHaveLength(34 * 19 * 3);
  const scores = new Float32Array(anchors.length * modelClasses.length);
  const last = anchors.length - 1;
  scores[last * modelClasses.length + 2] = 0.8;
  const outputs = { boxes: { dims: [], data: new Float32Array(4 * anchors.length) }, scores: { dims: [], data: scores } };
  const [found, ...others] = readCandidates(outputs, anchors, "closer", 0.5);
  expect([found?.type, found?.look, others]).toEqual(["car", "closer", []]);
  const { left = 0, top = 0, right = 0, bottom = 0 } = found?.corners ?? {};
  // Half as wide as high, 60 pixels at the square root of that.
  expect([(right - left) * 540, (bottom - top) * 300].map(Math.round)).toEqual([42, 85]);
  expect([(left + right) / 2, (top + bottom) / 2].map((value) => Number(value.toFixed(3)))).toEqual([0.985, 0.974]);
});

test("bundled model: the confidence grows with the score, from 0 to 1, and is 0.5 where the model is as good as always", () => {
  expect([confidenceOf(0), confidenceOf(0.45), confidenceOf(1)]).toEqual([0, 0.5, 1]);
  fc.assert(fc.property(share, share, (a, b) => confidenceOf(Math.min(a, b)) <= confidenceOf(Math.max(a, b))));
});

test("bundled model: merged looks show each object once, invent none, and keep the strongest", () => {
  fc.assert(
    fc.property(bothLooks, (looks) => {
      const merged = mergeLooks(looks.map(oneEach));
      const all = looks.flat();
      for (const each of merged) expect(all).toContain(each);
      const [strongest] = all.toSorted((a, b) => b.score - a.score);
      if (strongest) expect(merged).toContain(strongest);
      for (const [index, one] of merged.entries()) {
        for (const other of merged.slice(index + 1)) {
          if (one.type === other.type) expect(iou(one.corners, other.corners)).toBeLessThanOrEqual(0.45);
        }
      }
      expect(mergeLooks([merged])).toEqual(merged);
    }),
  );
});

test("bundled model: a part of a person in one look, within the person of the other, counts once", () => {
  const at = (look: Look, top: number, bottom: number, score: number): Candidate => ({
    ...{ type: "person", score, look },
    corners: { left: 0.4, top, right: 0.5, bottom },
  });
  const person = at("closer", 0.2, 0.6, 0.9);
  const part = at("whole", 0.2, 0.34, 0.6);
  expect(mergeLooks([[part], [person]])).toEqual([person]);
  expect(mergeLooks([[at("closer", 0.2, 0.34, 0.6)], [person]])).toHaveLength(2);
});
