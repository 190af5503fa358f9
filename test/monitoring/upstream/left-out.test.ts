import { describe, expect, it } from "vitest";
import { type LeftOut, leftOutText, unusableAnswers } from "../../../src/monitoring/upstream/left-out.ts";

const vehicle = '{"class":"vehicle"}';
const unknown = (count: number): LeftOut => ({ reason: "unknown_class", count, example: vehicle });
const part = (reason: LeftOut["reason"], count: number): LeftOut => ({ reason, count, example: null });
const five = (...answer: readonly LeftOut[]) => Array(5).fill(answer);

describe("left out: the sentences", () => {
  it("left out: names reasons with numbers and examples, and boxes apart", () => {
    expect(leftOutText([])).toBe("");
    expect(leftOutText([unknown(2), part("bad_box", 1), { reason: "below_threshold", count: 3, example: "person 43 %" }])).toBe(
      `homesec left out detections: 2 with a class that homesec does not know, such as ${vehicle}; 3 below the confidence threshold, such as person 43 %. homesec kept detections without their box: 1 with a box that cannot be read.`,
    );
  });
});

describe("left out: answers that are mostly unusable", () => {
  it("left out: five answers with unknown classes are a fault if nothing else came for a day", () => {
    const fault = `homesec cannot use 10 of its last 10 detections: 10 with a class that homesec does not know, such as ${vehicle}`;
    expect(unusableAnswers({ leftOut: five(unknown(2)), kept: 0, knowsClasses: false })).toBe(fault);
    expect(unusableAnswers({ leftOut: five(unknown(2)).slice(1), kept: 0, knowsClasses: false })).toBeUndefined();
    expect(unusableAnswers({ leftOut: five(unknown(2)), kept: 0, knowsClasses: true })).toBeUndefined();
    expect(
      unusableAnswers({ leftOut: five(part("not_an_object", 1), part("second_opinion", 1)), kept: 0, knowsClasses: true }),
    ).toBeUndefined();
    expect(unusableAnswers({ leftOut: five(unknown(2), part("below_threshold", 1)), kept: 0, knowsClasses: false })).toBeUndefined();
  });

  it("left out: detections in a wrong form are a fault if they outnumber the usable ones", () => {
    const leftOut = five(part("bad_confidence", 2), part("not_an_object", 1));
    expect(unusableAnswers({ leftOut, kept: 14, knowsClasses: true })).toMatch(/^homesec cannot use 15 of its last 29 detections: 10 with/);
    expect(unusableAnswers({ leftOut, kept: 15, knowsClasses: true })).toBeUndefined();
  });

  it("left out: other classes, weak detections and lost boxes are no fault", () => {
    const leftOut = five(part("other_class", 9), part("below_threshold", 9), part("bad_box", 9));
    expect(unusableAnswers({ leftOut, kept: 0, knowsClasses: false })).toBeUndefined();
    expect(unusableAnswers({ leftOut: [], kept: 0, knowsClasses: true })).toBeUndefined();
  });
});
