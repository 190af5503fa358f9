import fc from "fast-check";
import { expect, test } from "vitest";
import { iou } from "../../../daemon/builtin/detector/boxes.ts";
import { ssdAnchors } from "../../../daemon/builtin/detector/ssd/anchors.ts";
import { type Candidate, confidenceOf, modelClasses, readCandidates } from "../../../daemon/builtin/detector/ssd/candidates.ts";
import { mergeRegions, oneEach } from "../../../daemon/builtin/detector/ssd/merge.ts";
import { tilesOf, wholePicture } from "../../../daemon/builtin/detector/ssd/regions.ts";

const [left, right] = tilesOf(true);

const share = fc.double({ min: 0, max: 0.9, noNaN: true });
const candidateIn = (region: Candidate["region"]) =>
  fc.record({ type: fc.constantFrom(...modelClasses), score: share, x: share, y: share, width: share, height: share }).map(
    ({ type, score, x, y, width, height }): Candidate => ({
      ...{ type, score, region },
      corners: { left: x, top: y, right: x + width / 9 + 0.001, bottom: y + height / 9 + 0.001 },
    }),
  );
const anyRegions = fc.tuple(...[wholePicture, left, right].map((region) => fc.array(candidateIn(region), { maxLength: 20 })));

test("bundled model: has the 1,917 anchors of SSD at 300 pixels, in the order of the rows", () => {
  const anchors = ssdAnchors();
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

test("bundled model: a box without an encoding is its anchor, in the place of its region", () => {
  const rows = 2 * 1_917;
  const scores = new Float32Array(rows * modelClasses.length);
  const last = rows - 1;
  scores[last * modelClasses.length + 2] = 0.8;
  const boxes = { dims: [2, 1_917, 4], data: new Float32Array(4 * rows) };
  const found = readCandidates(boxes, { dims: [2, 1_917, 9], data: scores }, [left, right], 0.5);
  expect(found[0]).toEqual([]);
  expect(found[1]).toEqual([expect.objectContaining({ type: "car", region: right })]);
  const corners = found[1]?.[0]?.corners;
  expect([corners?.left ?? 0, corners?.right ?? 0].map((value) => Number(value.toFixed(3)))).toEqual([0.451, 0.993]);
});

test("bundled model: the confidence grows with the score, from 0 to 1, and is 0.5 where the model is as good as always", () => {
  expect([confidenceOf(0), confidenceOf(0.45), confidenceOf(1)]).toEqual([0, 0.5, 1]);
  fc.assert(fc.property(share, share, (a, b) => confidenceOf(Math.min(a, b)) <= confidenceOf(Math.max(a, b))));
});

test("bundled model: merged regions show each object once, invent none, and keep the strongest", () => {
  fc.assert(
    fc.property(anyRegions, (regions) => {
      const merged = mergeRegions(regions.map(oneEach));
      const all = regions.flat();
      for (const each of merged) expect(all).toContain(each);
      const best = all.filter(({ region }) => region === wholePicture).toSorted((a, b) => b.score - a.score)[0];
      const strongest = all.toSorted((a, b) => b.score - a.score)[0];
      if (best && best === strongest) expect(merged).toContain(best);
      for (const [index, one] of merged.entries()) {
        for (const other of merged.slice(index + 1)) {
          if (one.type === other.type) expect(iou(one.corners, other.corners)).toBeLessThanOrEqual(0.45);
        }
      }
      expect(mergeRegions([merged])).toEqual(merged.filter((each) => mergeRegions([[each]]).length === 1));
    }),
  );
});

test("bundled model: a person cut by the inner edge of a tile is left out, and one seen by both tiles counts once", () => {
  const at = (region: Candidate["region"], from: number, to: number, score = 0.9): Candidate => ({
    ...{ type: "person", score, region },
    corners: { left: from, top: 0.4, right: to, bottom: 0.6 },
  });
  const cut = at(left, 0.53, left.right);
  const whole = at(right, 0.53, 0.58, 0.6);
  expect(mergeRegions([[], [cut], [whole]])).toEqual([whole]);
  const twice = [[at(left, 0.47, 0.52, 0.7)], [at(right, 0.471, 0.519)]];
  expect(mergeRegions([[], ...twice])).toEqual(twice[1]);
});
