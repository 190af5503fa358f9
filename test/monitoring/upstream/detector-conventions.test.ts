import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectTypes } from "../../../src/contract/constants.ts";
import { type DetectorReading, readDetections } from "../../../src/monitoring/upstream/detector-answer.ts";

const size = { width: 1280, height: 720 };

/** Reads an answer with these entries for a picture of 1280 x 720. */
function read(entries: readonly unknown[], more: object = { image_width: size.width, image_height: size.height }): DetectorReading {
  return readDetections(JSON.stringify({ detections: entries, ...more }));
}
const classesOf = (names: readonly unknown[]): readonly string[] =>
  read(names.map((name) => ({ class: name, confidence: 0.9 }))).detections.map(({ objectType }) => objectType);
const confidencesOf = (values: readonly unknown[]): readonly number[] =>
  read(values.map((confidence) => ({ class: "person", confidence }))).detections.map(({ confidence }) => confidence);
const boxesOf = (boxes: readonly unknown[], more?: object) =>
  read(
    boxes.map((bbox) => ({ class: "person", confidence: 0.9, bbox })),
    more,
  ).detections.map(({ box }) => box);

describe("detector answers: classes", () => {
  it("reads other cases, plurals and synonyms", () => {
    expect(classesOf(["PERSON", "Persons", "people", "Pedestrian", " human ", "man", "Woman", "children", "cyclist"])).toEqual(
      Array(9).fill("person"),
    );
    expect(classesOf(["automobile", "Cars", "SUV", "taxi", "van"])).toEqual(Array(5).fill("car"));
    expect(classesOf(["lorry", "trucks", "pickup", "pickup_truck", "Pickup-Trucks"])).toEqual(Array(5).fill("truck"));
    expect(classesOf(["motorbike", "Motor Bike", "moped", "motorcycles"])).toEqual(Array(4).fill("motorcycle"));
    expect(classesOf(["bike", "bikes", "buses", "minibus", "puppies", "kittens", "birds"])).toEqual(
      ["bicycle", "bicycle", "bus", "bus", "dog", "cat", "bird"], //
    );
  });

  it("reads the words that docs/detection.md lists", () => {
    const page = readFileSync(new URL("../../../docs/detection.md", import.meta.url), "utf8");
    const section = page.split("## Words for classes")[1]?.split("\n## ")[0] ?? "";
    const rows = [...section.matchAll(/^\| (\w[\w, ]+) \| (\w[\w, ]+) \|$/gm)].filter(([, name]) => name !== "class");
    expect(rows).toHaveLength(7);
    for (const [, names = "", words = ""] of rows) {
      const read = new Set(classesOf(words.split(", ")));
      expect(read).toEqual(new Set(names.split(", ")));
      expect(classesOf(words.split(", "))).toHaveLength(words.split(", ").length);
    }
  });

  it("counts words that may mean several classes as unknown, and usual other classes apart", () => {
    const { detections, leftOut } = read(
      ["vehicle", "animal", "vehicle", "potted plant", "Traffic_Light", "constructor"].map((name) => ({ class: name, confidence: 0.9 })),
    );
    expect(detections).toEqual([]);
    expect(leftOut).toEqual([
      { reason: "unknown_class", count: 4, example: '{"class":"vehicle","confidence":0.9}' },
      { reason: "other_class", count: 2, example: "potted plant" },
    ]);
  });

  it("reads the fields of usual libraries: a number as class with the word beside it, labels, scores, predictions", () => {
    const box = { x: 10, y: 20, width: 30, height: 40 };
    const corners = { x1: 10, y1: 20, x2: 40, y2: 60 };
    const expected = [{ objectType: "car", confidence: 0.8, box }];
    expect(read([{ name: "car", class: 2, confidence: 0.8, box: corners }]).detections).toEqual(expected);
    expect(read([{ class_id: 2, class_name: "car", conf: 0.8, bounding_box: box }]).detections).toEqual(expected);
    expect(read([{ label: "Car", score: 0.8, xyxy: [10, 20, 40, 60] }]).detections).toEqual(expected);
    const deepStack = { success: true, predictions: [{ label: "car", confidence: 0.8, x_min: 10, y_min: 20, x_max: 40, y_max: 60 }] };
    expect(readDetections(JSON.stringify(deepStack)).detections).toEqual(expected);
    expect(read([{ class: "0", confidence: 0.8 }]).leftOut).toMatchObject([{ reason: "unknown_class", count: 1 }]);
  });

  it("reads each of the nine classes in any case, singular or plural (property)", () => {
    const words = fc
      .constantFrom(...objectTypes)
      .chain((type) =>
        fc.tuple(
          fc.constant(type),
          fc.constantFrom(type, `${type}s`, ` ${type}\t`),
          fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
        ),
      );
    fc.assert(
      fc.property(words, ([type, word, upper]) => {
        const name = [...word].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join("");
        expect(classesOf([name])).toEqual([type]);
      }),
    );
  });
});

describe("detector answers: confidences", () => {
  it("are percent or not for the whole answer", () => {
    expect(confidencesOf([0.9, 0.4])).toEqual([0.9, 0.4]);
    expect(confidencesOf([85, 40.5])).toEqual([0.85, 0.405]);
    expect(confidencesOf([0.9, 85])).toEqual([0.9 / 100, 0.85]);
    expect(confidencesOf([1, 0.5])).toEqual([1, 0.5]);
    expect(confidencesOf([1])).toEqual([1]);
    expect(confidencesOf([100, 1])).toEqual([1, 0.01]);
    expect(confidencesOf([1.0000001, 0.5])).toEqual([1, 0.5]);
  });

  it("are percent because of a detection of any class", () => {
    const { detections } = read([
      { class: "chair", confidence: 64 },
      { class: "person", confidence: 1 },
    ]);
    expect(detections).toMatchObject([{ confidence: 0.01 }]);
  });

  it("beyond 0 to 100 are no percent: raw scores of a model are left out and counted", () => {
    const { detections, leftOut } = read([7.5, -2.5, 0.6, 700].map((confidence) => ({ class: "person", confidence })));
    expect(detections).toMatchObject([{ confidence: 0.6 }]);
    expect(leftOut).toEqual([{ reason: "bad_confidence", count: 3, example: '{"class":"person","confidence":7.5}' }]);
  });

  it("are the same as shares and as percent, in any order (property)", () => {
    const shares = fc.array(fc.integer({ min: 2, max: 100 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(shares, (percents) => {
        const asShares = percents.map((percent) => percent / 100);
        expect(confidencesOf(percents)).toEqual(asShares);
        expect(confidencesOf(asShares)).toEqual(asShares);
        expect(confidencesOf(percents.toReversed())).toEqual(asShares.toReversed());
      }),
    );
  });
});

/** A box inside the picture, at least 8 pixels wide and high. */
const anyBox = fc
  .tuple(
    fc.integer({ min: 0, max: 1200 }),
    fc.integer({ min: 0, max: 700 }),
    fc.integer({ min: 8, max: 500 }),
    fc.integer({ min: 8, max: 500 }),
  )
  .map(([x, y, width, height]) => ({ x, y, width: Math.min(width, size.width - x), height: Math.min(height, size.height - y) }));
type AnyBox = typeof anyBox extends fc.Arbitrary<infer T> ? T : never;

/** The conventions for boxes that are read without doubt. */
const forms: Readonly<Record<string, (box: AnyBox) => unknown>> = {
  "x, y, width, height": (box) => box,
  "x, y, w, h": ({ x, y, width, height }) => ({ x, y, w: width, h: height }),
  "left, top, width, height": ({ x, y, width, height }) => ({ left: x, top: y, width, height }),
  "left, top, right, bottom": ({ x, y, width, height }) => ({ left: x, top: y, right: x + width, bottom: y + height }),
  "x1, y1, x2, y2": ({ x, y, width, height }) => ({ x1: x, y1: y, x2: x + width, y2: y + height }),
  "x0, y0, x1, y1": ({ x, y, width, height }) => ({ x0: x, y0: y, x1: x + width, y1: y + height }),
  "xmin, ymin, xmax, ymax": ({ x, y, width, height }) => ({ xmin: x, ymin: y, xmax: x + width, ymax: y + height }),
  "xMin, yMin, xMax, yMax": ({ x, y, width, height }) => ({ xMin: x, yMin: y, xMax: x + width, yMax: y + height }),
};

describe("detector answers: boxes", () => {
  it.each(Object.entries(forms))("reads %s, in pixels and in shares of the picture (property)", (_, form) => {
    fc.assert(
      fc.property(fc.array(anyBox, { minLength: 1, maxLength: 6 }), (boxes) => {
        expect(boxesOf(boxes.map(form))).toEqual(boxes);
        const shares = boxes.map(({ x, y, width, height }) =>
          form({ x: x / size.width, y: y / size.height, width: width / size.width, height: height / size.height }),
        );
        expect(boxesOf(shares)).toEqual(boxes);
      }),
    );
  });

  it("takes shares of the size that homesec knows if the detector reports none, and of none if there is none", () => {
    const text = JSON.stringify({ detections: [{ class: "cat", confidence: 0.9, bbox: { x: 0.25, y: 0.5, width: 0.5, height: 0.25 } }] });
    expect(readDetections(text, size)).toMatchObject({
      detections: [{ box: { x: 320, y: 360, width: 640, height: 180 } }],
      width: null,
      leftOut: [],
    });
    expect(readDetections(text)).toMatchObject({ detections: [{ box: null }], leftOut: [{ reason: "bad_box", count: 1 }] });
  });

  it("decides about shares for the whole answer: a tiny box beside others in pixels is in pixels", () => {
    const tiny = { x: 0, y: 0, width: 1, height: 1 };
    expect(boxesOf([tiny])).toEqual([{ x: 0, y: 0, ...size }]);
    expect(boxesOf([tiny, { x: 100, y: 100, width: 50, height: 50 }])).toEqual([tiny, { x: 100, y: 100, width: 50, height: 50 }]);
  });

  it("reads four numbers as corners only if they can be nothing else", () => {
    const right = [1000, 500, 1100, 700];
    expect(boxesOf([right])).toEqual([{ x: 1000, y: 500, width: 100, height: 200 }]);
    // One box that can only be corners decides for all of the answer.
    expect(boxesOf([[10, 20, 60, 120], right])).toEqual([
      { x: 10, y: 20, width: 50, height: 100 },
      { x: 1000, y: 500, width: 100, height: 200 },
    ]);
    expect(boxesOf([[10, 20, 60, 120]])).toEqual([null]);
    expect(boxesOf([[600, 300, 100, 50], right])).toEqual([null, null]);
    expect(boxesOf([right], {})).toEqual([null]);
    expect(boxesOf([[0.2, 0.3, 0.4, 0.9]])).toEqual([null]);
  });

  it("never reads four numbers as corners that were a position or a centre with a size (property)", () => {
    fc.assert(
      fc.property(fc.array(anyBox, { minLength: 1, maxLength: 6 }), fc.boolean(), (boxes, isCentre) => {
        const lists = boxes.map(({ x, y, width, height }) =>
          isCentre ? [x + width / 2, y + height / 2, width, height] : [x, y, width, height],
        );
        expect(boxesOf(lists)).toEqual(boxes.map(() => null));
      }),
    );
  });

  it("keeps a detection without its box if the corners are exchanged, or the position may be a centre", () => {
    expect(boxesOf([{ x1: 90, y1: 90, x2: 10, y2: 10 }])).toEqual([null]);
    const { detections, leftOut } = read([{ class: "dog", confidence: 0.9, x: 100, y: 100, width: 50, height: 50 }]);
    expect(detections).toEqual([{ objectType: "dog", confidence: 0.9, box: null }]);
    expect(leftOut).toEqual([]);
  });
});

describe("detector answers: left-out parts", () => {
  it("accounts for each entry: found or left out (property)", () => {
    const values = fc.oneof(fc.constantFrom("person", "vehicle", "chair", "bus"), fc.jsonValue());
    const entries = fc.array(fc.oneof(fc.record({ class: values, confidence: fc.jsonValue(), bbox: fc.jsonValue() }), fc.jsonValue()), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(entries, (sent) => {
        const { detections, leftOut } = read(sent);
        const gone = leftOut.filter(({ reason }) => !["bad_box", "empty_box", "outside"].includes(reason));
        expect(detections.length + gone.reduce((sum, { count }) => sum + count, 0)).toBe(sent.length);
        expect(leftOut.every(({ example }) => example === null || (example.length <= 161 && !/\p{Surrogate}|\0/u.test(example)))).toBe(
          true,
        );
      }),
    );
  });

  it("gives a short example of an entry without an end", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const { leftOut } = readDetections(`{"detections": [${deep}, {"class": "${"x".repeat(5_000)}"}]}`);
    expect(leftOut).toMatchObject([
      { reason: "not_an_object", count: 1 },
      { reason: "unknown_class", count: 1 },
    ]);
    for (const { example } of leftOut) expect(example?.length).toBeLessThan(162);
  });
});
