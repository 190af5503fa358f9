import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { cocoNames, namesInMetadata, namesInText, objectTypeOf } from "../../../src/monitoring/detector-model/class-names.ts";
import { modelFault, readModelFile } from "../../../src/monitoring/detector-model/model-file.ts";
import { readOnnxHeader } from "../../../src/monitoring/detector-model/onnx.ts";
import { Malformed } from "../../../src/monitoring/detector-model/protobuf.ts";
import { onnxModel } from "../../support/onnx.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { constantModel, type ModelOptions, pythonNames } from "../../support/yolo.ts";

const folder = temporaryFolder("model-file");
afterAll(() => folder.remove());

async function write(name: string, bytes: Buffer | string): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, bytes);
  return path;
}

const boxes = [[0, 0, 1, 1, 0.5, 0]];
const model = (options?: ModelOptions) => constantModel(boxes, options);

test("a file tells its input, its outputs and its classes", async () => {
  const path = await write("plain.onnx", model({ width: 320, height: 192, names: ["person", "van", "car"] }));
  expect(readModelFile(path)).toEqual({
    path,
    name: "plain.onnx",
    width: 320,
    height: 192,
    inputName: "images",
    outputNames: ["output0"],
    classNames: ["person", "van", "car"],
    classesAssumed: false,
    externalData: false,
  });
});

test("an open size becomes 640, and unnamed classes become COCO's", async () => {
  const file = readModelFile(await write("open.onnx", model({ input: ["batch", 3, "height", "width"] })));
  expect(file).toMatchObject({ width: 640, height: 640, classNames: cocoNames, classesAssumed: true });
  expect(cocoNames).toHaveLength(80);
  expect(new Set(cocoNames.map(objectTypeOf)).size).toBe(10);
});

test("names in a file beside the model count for more than its own; .names comes before .txt", async () => {
  const path = await write("mine.onnx", model({ names: ["person"] }));
  await write("mine.txt", "Pedestrian\r\n\r\nmotorbike\r\n\r\n");
  expect(readModelFile(path).classNames).toEqual(["Pedestrian", "", "motorbike"]);
  await write("mine.names", "dog\ncat");
  expect(readModelFile(path)).toMatchObject({ classNames: ["dog", "cat"], classesAssumed: false });
});

test("a large file is read in small pieces", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`w${index}`, { dims: [50_000], values: new Float32Array(50_000) }]),
  );
  const bytes = onnxModel({ nodes: [], constants: many, outputs: { out: [1, 84, 8_400] }, metadata: { names: '["person"]' } });
  let read = 0;
  const header = readOnnxHeader({
    length: bytes.length,
    read: (offset, length) => {
      read += length;
      return bytes.subarray(offset, offset + length);
    },
  });
  expect(header).toMatchObject({ inputs: [{ name: "images", dims: [1, 3, 640, 640] }], outputs: [{ dims: [1, 84, 8_400] }] });
  expect(bytes.length).toBeGreaterThan(8_000_000);
  expect(read).toBeLessThan(20_000);
});

test("an unusable model is reported with file, reason and fix", async () => {
  await mkdir(join(folder.path, "a-folder.onnx"));
  await mkdir(join(folder.path, "odd.names"));
  const whole = model();
  const cases: [string, string, RegExp][] = [
    ["missing", join(folder.path, "missing.onnx"), /there is no such file; correct the path/],
    ["below a file", join(await write("file", "x"), "m.onnx"), /there is no such file/],
    ["a folder", join(folder.path, "a-folder.onnx"), /not a file; name the \.onnx file/],
    ["empty", await write("empty.onnx", ""), /it is empty; copy it again/],
    ["PyTorch", await write("yolo.pt", "PK\u0003\u0004 more bytes of a zip"), /a PyTorch or ZIP file, not ONNX; export/],
    ["LFS", await write("lfs.onnx", "version https://git-lfs.github.com/spec/v1\n"), /Git LFS pointer/],
    ["a page", await write("page.onnx", "<!DOCTYPE html><html>"), /HTML or XML page/],
    ["TensorFlow Lite", await write("lite.onnx", "\u001c\u0000\u0000\u0000TFL3"), /TensorFlow Lite/],
    ["text", await write("text.onnx", "this is not a model"), /not ONNX, or only a part of it .*; copy it again/],
    ["half of it", await write("half.onnx", whole.subarray(0, whole.length / 2)), /not ONNX, or only a part of it/],
    ["no graph", await write("bare.onnx", onnxModel({ nodes: [], outputs: {} }).subarray(0, 2)), /holds no graph/],
    ["no output", await write("silent.onnx", onnxModel({ nodes: [], outputs: {} })), /it has no output; export/],
    [
      "another order",
      await write("nhwc.onnx", model({ input: [1, 640, 640, 3] })),
      /input is \[1, 640, 640, 3\], not \[1, 3, height, width\]/,
    ],
    ["flat", await write("flat.onnx", model({ input: [1, 3] })), /input is \[1, 3\]/],
    ["many pictures", await write("batch.onnx", model({ input: [8, 3, 640, 640] })), /takes 8 pictures at once/],
    [
      "half precision",
      await write("half16.onnx", model({ extra: { input: { dims: [1, 3, 640, 640], elementType: 10 } } })),
      /not 32-bit floats/,
    ],
    ["huge", await write("huge.onnx", model({ input: [1, 3, 100_000, 640] })), /640 x 100000 pixels; export it for a size/],
    ["segments", await write("seg.onnx", model({ metadata: { task: "segment" } })), /the task "segment"; export one for "detect"/],
    [
      "other classes",
      await write("fruit.onnx", model({ names: ["apple", "pear"] })),
      /none of its classes \(apple, pear\); name them in fruit\.names/,
    ],
    ["names unreadable", await write("odd.onnx", whole), /odd\.names beside it cannot be read \(EISDIR\)/],
  ];
  for (const [name, path, reason] of cases) {
    const fault = modelFault({ detectorUrl: undefined, detectorModelPath: path });
    expect(fault, name).toMatch(reason);
    expect(fault, name).toContain(`DETECTOR_MODEL_PATH=${path} cannot be used: `);
  }
  expect(modelFault({ detectorUrl: undefined, detectorModelPath: undefined })).toBeUndefined();
  expect(modelFault({ detectorUrl: "http://d", detectorModelPath: "/nowhere" })).toBeUndefined();
  expect(modelFault({ detectorUrl: undefined, detectorModelPath: await write("good.onnx", whole) })).toBeUndefined();
});

test("any bytes are a header or malformed, and damage never hangs", () => {
  const whole = model({ names: ["person", "car"] });
  const read = (bytes: Uint8Array) => {
    try {
      readOnnxHeader({
        length: bytes.length,
        read: (offset, length) => {
          if (offset < 0 || offset + length > bytes.length) throw new Malformed("outside");
          return bytes.subarray(offset, offset + length);
        },
      });
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), read), { numRuns: 500 });
  const damaged = fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, value]) => {
    const bytes = Buffer.from(whole);
    bytes[at] = value;
    return bytes;
  });
  fc.assert(fc.property(damaged, read), { numRuns: 500 });
});

test("names are read as Python and as JSON write them, whatever they hold", () => {
  expect(namesInMetadata("{0: 'person', 2: \"dog's\", 1: 'car'}")).toEqual(["person", "car", "dog's"]);
  expect(namesInMetadata("['person', 'it\\'s']")).toEqual(["person", "it's"]);
  expect(namesInMetadata('{"0": "person", "2": "car"}')).toEqual(["person", "", "car"]);
  expect(namesInMetadata('["person", "car"]')).toEqual(["person", "car"]);
  for (const none of ["", "{}", "[]", "person", "{99999999: 'x'}", '{"a": "person"}', "5", "null"])
    expect(namesInMetadata(none), none).toBeUndefined();
  const names = fc.array(fc.stringMatching(/^[a-z ]{1,12}$/), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(names, (list) => {
      expect(namesInMetadata(pythonNames(list))).toEqual(list);
      expect(namesInMetadata(JSON.stringify(list))).toEqual(list);
      expect(namesInText(list.join("\n"))).toHaveLength(list.join("\n").trimEnd().split("\n").length);
    }),
  );
});

test("names are read in the time that their length takes, whatever they are", () => {
  const before = process.cpuUsage();
  for (const text of ["1".repeat(1_000_000), '"\\'.repeat(500_000), `${"'\\".repeat(500_000)}`]) namesInMetadata(text);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(5_000);
});

test("a model's words become homesec's nine classes, and others none", () => {
  const words = ["Person", " people ", "PEDESTRIAN", "lorry", "bike", "motorbike", "bus", "chair", "", "constructor"];
  expect(words.map(objectTypeOf)).toEqual([
    "person",
    "person",
    "person",
    "truck",
    "bicycle",
    "motorcycle",
    "bus",
    undefined,
    undefined,
    undefined,
  ]);
});
