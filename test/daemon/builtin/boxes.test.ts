import { expect, test } from "vitest";
import { confidenceOf, groupWindows, type Window } from "../../../daemon/builtin/detector/boxes.ts";

function window(x: number, y: number, weight: number, size = 1): Window {
  return { box: { x, y, width: 64 * size, height: 128 * size }, weight };
}

test("boxes: windows around one person become one box, that of the best window", () => {
  const groups = groupWindows([window(100, 100, 1), window(104, 100, 2), window(98, 96, 0.5)]);
  expect(groups).toHaveLength(1);
  expect(groups[0]?.weight).toBe(2);
  expect(groups[0]?.box.x).toBeGreaterThan(104);
});

test("boxes: a window twice as tall around a person does not count as a second person", () => {
  expect(groupWindows([window(100, 100, 2), window(102, 100, 1.8), window(68, 40, 1.5, 2), window(70, 42, 1.4, 2)])).toHaveLength(1);
});

test("boxes: two people side by side get separate boxes", () => {
  expect(groupWindows([window(100, 100, 2), window(101, 100, 2), window(140, 100, 2), window(141, 100, 2)])).toHaveLength(2);
});

test("boxes: a single window does not count as a person", () => {
  expect(groupWindows([window(100, 100, 1)])).toEqual([]);
});

test("boxes: the confidence grows with the weight and stays between 0 and 1", () => {
  const values = [-100, -1, 0, 0.6, 1, 2, 3, 5, 100].map(confidenceOf);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  expect([values[0], values[3], values.at(-1)]).toEqual([0, 0.5, 1]);
});
