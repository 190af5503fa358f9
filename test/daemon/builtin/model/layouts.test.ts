import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, expect, test } from "vitest";
import type { DetectedObject } from "../../../../daemon/builtin/detector/detector.ts";
import { loadOwnModel } from "../../../../daemon/builtin/detector/model/own-model.ts";
import { temporaryFolder } from "../../../support/temporary.ts";
import { constantModel, type ModelOptions, redFinder } from "../../../support/yolo.ts";

const folder = temporaryFolder("model");
afterAll(() => folder.remove());
let models = 0;

async function load(bytes: Buffer, minConfidence = 0.5) {
  models += 1;
  const path = join(folder.path, `model-${models}.onnx`);
  await writeFile(path, bytes);
  return loadOwnModel(path, minConfidence);
}

function grey(width = 640, height = 640): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: "#777" } })
    .png()
    .toBuffer();
}

async function see(bytes: Buffer, { width = 640, height = 640, minConfidence = 0.5 } = {}): Promise<readonly DetectedObject[]> {
  return (await (await load(bytes, minConfidence)).detect(await grey(width, height))).objects;
}

/** A row of class scores with one class above the others. */
function scores(count: number, best: number, score: number): number[] {
  return Array.from({ length: count }, (_, index) => (index === best ? score : 0.01));
}

const person = { type: "person", confidence: 0.9, box: { x: 80, y: 60, width: 40, height: 80 } };
const dog = { type: "dog", confidence: 0.8, box: { x: 300, y: 400, width: 100, height: 50 } };
/** Class numbers of COCO. */
const [cocoPerson, cocoDog, cocoChair] = [0, 16, 56];
const personBox = [100, 100, 40, 80];
const dogBox = [350, 425, 100, 50];

test("layouts: YOLOv5 rows multiply the class score by the objectness", async () => {
  const rows = [
    [...personBox, 0.9, ...scores(80, cocoPerson, 1)],
    [...dogBox, 0.9, ...scores(80, cocoDog, 0.888_89)],
    // Half certain that there is an object, and half that it is a person.
    [500, 500, 50, 50, 0.6, ...scores(80, cocoPerson, 0.6)],
    [200, 200, 50, 50, 0.99, ...scores(80, cocoChair, 0.99)],
  ];
  expect(await see(constantModel(rows))).toEqual([person, dog]);
  expect(await see(constantModel(rows, { lying: true }))).toEqual([person, dog]);
});

test("layouts: YOLOv8 rows have only class scores and may be transposed", async () => {
  const rows = [
    [...dogBox, ...scores(80, cocoDog, 0.8)],
    [...personBox, ...scores(80, cocoPerson, 0.9)],
    [200, 200, 50, 50, ...scores(80, cocoChair, 0.99)],
    [200, 200, 50, 50, ...scores(80, cocoPerson, 0.49)],
  ];
  expect(await see(constantModel(rows, { lying: true }))).toEqual([person, dog]);
  expect(await see(constantModel(rows))).toEqual([person, dog]);
});

test("layouts: end-to-end rows have corners, score and class, padded with zeros", async () => {
  const rows = [
    [80, 60, 120, 140, 0.9, cocoPerson],
    [300, 400, 400, 450, 0.8, cocoDog],
    [10, 10, 50, 50, 0.9, cocoChair],
    [10, 10, 50, 50, 0.9, 999],
    [0, 0, 0, 0, 0, 0],
  ];
  expect(await see(constantModel(rows))).toEqual([person, dog]);
});

test("layouts: coordinates as fractions of the picture give the same boxes in each layout", async () => {
  const parts = (box: readonly number[]) => box.map((value) => value / 640);
  const v5 = [[...parts(personBox), 0.9, ...scores(80, cocoPerson, 1)]];
  const v8 = [[...parts(personBox), ...scores(80, cocoPerson, 0.9)]];
  const v10 = [[...parts([80, 60, 120, 140]), 0.9, cocoPerson]];
  for (const rows of [v5, v8, v10]) expect(await see(constantModel(rows))).toEqual([person]);
});

test("layouts: with six values per box and one or two classes, the number of boxes decides", async () => {
  // 128 x 128 pixels have 16 * 16 + 8 * 8 + 4 * 4 cells.
  const small = { width: 128, height: 128 };
  const box = [64, 64, 32, 32];
  const middle = { x: 48, y: 48, width: 32, height: 32 };
  const many = (row: readonly number[], count: number) => Array.from({ length: count }, () => row);
  const cases: [string, number[][], ModelOptions & { lying?: boolean }, string][] = [
    ["v8, two classes", many([...box, 0.1, 0.9], 336) as number[][], { names: ["person", "car"], lying: true }, "car"],
    ["v8 upright", many([...box, 0.1, 0.9], 336) as number[][], { names: ["person", "car"] }, "car"],
    ["v5, one class", many([...box, 0.9, 1], 3 * 336) as number[][], { names: ["cat"] }, "cat"],
    ["end to end", many([48, 48, 80, 80, 0.9, 1], 1) as number[][], { names: ["person", "car"] }, "car"],
  ];
  for (const [name, rows, options, type] of cases) {
    expect(await see(constantModel(rows, { ...small, ...options }), small), name).toEqual([{ type, confidence: 0.9, box: middle }]);
  }
});

test("layouts: overlapping boxes of one class are one object, those of two classes are two", async () => {
  const rows = [
    [...personBox, ...scores(80, cocoPerson, 0.9)],
    [102, 101, 40, 80, ...scores(80, cocoPerson, 0.85)],
    [102, 101, 40, 80, ...scores(80, cocoDog, 0.7)],
    [130, 100, 40, 80, ...scores(80, cocoPerson, 0.6)],
  ];
  const seen = await see(constantModel(rows));
  expect(seen.map(({ type, confidence }) => [type, confidence])).toEqual([
    ["person", 0.9],
    ["dog", 0.7],
    ["person", 0.6],
  ]);
});

test("layouts: boxes are clipped to the picture, and empty, outside or invalid ones are dropped", async () => {
  const box = (...numbers: number[]) => [...numbers, ...scores(80, cocoPerson, 0.9)];
  const rows = [
    box(10, 320, 100, 100),
    box(-200, 320, 100, 100),
    box(320, 320, 0, 100),
    box(Number.NaN, 320, 50, 100),
    box(320, 320, 50, Number.POSITIVE_INFINITY),
  ];
  // 640 x 320: the picture covers rows 160 to 480 of the input.
  const seen = await see(constantModel(rows), { width: 640, height: 320 });
  expect(seen).toEqual([{ type: "person", confidence: 0.9, box: { x: 0, y: 110, width: 60, height: 100 } }]);
});

test("layouts: pictures of any shape are fitted into the input, and boxes are mapped back", async () => {
  const shapes = [
    [640, 640, 640, 640],
    [1_920, 1_080, 640, 640],
    [480, 1_000, 640, 640],
    [100, 80, 640, 640],
    [1_280, 720, 640, 384],
    [500, 900, 416, 320],
  ] as const;
  for (const [width, height, inputWidth, inputHeight] of shapes) {
    const detector = await load(redFinder({ width: inputWidth, height: inputHeight }));
    const expected = {
      x: Math.round(width * 0.6),
      y: Math.round(height * 0.1),
      width: Math.round(width * 0.3),
      height: Math.round(height * 0.25),
    };
    const red = await sharp({ create: { width: expected.width, height: expected.height, channels: 3, background: "#f00" } })
      .png()
      .toBuffer();
    const picture = await sharp({ create: { width, height, channels: 3, background: "#000" } })
      .composite([{ input: red, left: expected.x, top: expected.y }])
      .png()
      .toBuffer();
    const { objects, ...size } = await detector.detect(picture);
    expect(size).toEqual({ width, height });
    const what = `${width} x ${height} into ${inputWidth} x ${inputHeight}: ${JSON.stringify(objects)}`;
    expect(objects, what).toHaveLength(1);
    // A pixel of the input, and its blurred neighbour.
    const tolerance = 1 + 1.5 * Math.max(1, width / inputWidth, height / inputHeight);
    for (const side of ["x", "y", "width", "height"] as const) {
      expect(Math.abs((objects[0]?.box[side] ?? Number.NaN) - expected[side]), what).toBeLessThanOrEqual(tolerance);
    }
  }
});

test("layouts: grey, transparent and rotated pictures reach the model upright in red, green and blue", async () => {
  const detector = await load(redFinder());
  const red = await sharp({ create: { width: 60, height: 30, channels: 3, background: "#f00" } })
    .png()
    .toBuffer();
  const picture = sharp({ create: { width: 300, height: 200, channels: 3, background: "#000" } }).composite([
    { input: red, left: 200, top: 20 },
  ]);
  const upright = await picture.png().toBuffer();
  const turned = await sharp(upright).rotate(90).withMetadata({ orientation: 8 }).jpeg({ quality: 95 }).toBuffer();
  const { objects, width, height } = await detector.detect(turned);
  expect({ width, height }).toEqual({ width: 300, height: 200 });
  expect(Math.abs((objects[0]?.box.x ?? 0) - 200)).toBeLessThan(4);
  expect(Math.abs((objects[0]?.box.y ?? 0) - 20)).toBeLessThan(4);
  for (const other of [sharp(upright).greyscale(), sharp(upright).removeAlpha().ensureAlpha(0)]) {
    const { objects: none } = await detector.detect(await other.png().toBuffer());
    expect(none).toEqual([]);
  }
  const deep = await sharp(upright).toColourspace("rgb16").png().toBuffer();
  expect((await detector.detect(deep)).objects).toEqual((await detector.detect(upright)).objects);
});

test("layouts: an input of variable size gets 640 x 640 pixels", async () => {
  const detector = await load(
    constantModel([[0.5, 0.5, 0.5, 0.5, ...scores(80, cocoPerson, 0.9)]], { input: ["batch", 3, "height", "width"] }),
  );
  expect(detector.about["model_details"]).toContain("640 x 640");
});

test("layouts: an unreadable output is refused with its shape, the expected one and the fix", async () => {
  const cases: [Buffer, RegExp][] = [
    [constantModel([[1, 2, 3, 4, 0.5]]), /its output \[1, 1, 5\] is not the output of a YOLO detector; .*export a YOLO detector to ONNX/],
    [
      constantModel([[1, 2, 3, 4, 0.5, 0.1, 0.2, 0.3]]),
      /\[1, 1, 8\] fits 4 classes \(YOLOv8\) or 3 \(YOLOv5\), but the file names no classes, and COCO has 80; name its classes/,
    ],
    [constantModel([[1, 2, 3, 4, 0.5, 0.1, 0.2]], { names: ["cat"] }), /3 classes \(YOLOv8\) or 2 \(YOLOv5\), but 1 class is named/],
    [constantModel([[1, 2, 3, 4, -7.5, 3]], { names: ["cat"] }), /a score is -7\.5.*, not between 0 and 1; export it with its last layers/],
  ];
  for (const [bytes, reason] of cases) await expect(load(bytes)).rejects.toThrow(reason);
});

test("layouts: of several outputs, the one with the boxes is used", async () => {
  const nodes = [
    { op: "Slice", inputs: ["images", "from", "to", "axes"], outputs: ["first"] },
    { op: "Reshape", inputs: ["images", "shape"], outputs: ["boxes"] },
  ];
  const whole = (...values: number[]) => ({ dims: [values.length], kind: "int64" as const, values });
  // The picture itself, read as boxes: 3072 numbers are 512 boxes with corners, score and class.
  const model = constantModel([], {
    extra: {
      nodes,
      input: { dims: [1, 3, 32, 32] },
      constants: { from: whole(0), to: whole(1), axes: whole(1), shape: whole(1, 512, 6) },
      outputs: { first: [1, 1, 32, 32], boxes: [1, 512, 6] },
    },
  });
  expect((await load(model)).about["model_details"]).toContain("end-to-end output");
});
