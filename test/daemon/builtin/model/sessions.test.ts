import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findOnnxRuntime, openOnnxRuntimeSession } from "../../../../daemon/builtin/detector/model/onnxruntime-session.ts";
import { openSession } from "../../../../daemon/builtin/detector/model/open-session.ts";
import { openWebSession } from "../../../../daemon/builtin/detector/model/web-session.ts";
import { readModelFile } from "../../../../src/monitoring/detector-model/model-file.ts";
import { type Graph, onnxModel } from "../../../support/onnx.ts";
import { temporaryFolder } from "../../../support/temporary.ts";
import { constantModel } from "../../../support/yolo.ts";
import { oneBox, Tensor } from "./tensor.ts";

const folder = temporaryFolder("sessions");
afterAll(() => folder.remove());

async function write(name: string, bytes: Buffer) {
  const path = join(folder.path, name);
  await writeFile(path, bytes);
  return readModelFile(path);
}

/** Node's error for a package that is not installed. */
const absent = (name: string) =>
  Promise.reject(Object.assign(new Error(`Cannot find package '${name}' imported from here`), { code: "ERR_MODULE_NOT_FOUND" }));
const installed = await findOnnxRuntime((name) => import(name)).catch(() => undefined);

/** A stand-in for the package onnxruntime-node that answers every run with one box. */
function runtimeStandIn() {
  const calls: { path?: string; input?: { data: Float32Array; dims: readonly number[] }; fetches?: readonly string[]; disposed?: number } =
    {};
  class Disposable extends Tensor {
    dispose() {
      calls.disposed = (calls.disposed ?? 0) + 1;
    }
  }
  const InferenceSession = {
    create: async (path: string) => {
      calls.path = path;
      if (path.endsWith("refused.onnx")) throw new Error("Load model failed: Fatal error: SomeOp is not a registered function/op");
      return {
        run: async (feeds: Record<string, Tensor>, fetches: readonly string[]) => {
          const input = feeds["images"];
          if (input) calls.input = input;
          calls.fetches = fetches;
          return oneBox(fetches, Disposable);
        },
      };
    },
  };
  return { calls, package: { env: { versions: { common: "1.2.3" } }, InferenceSession, Tensor: Disposable } };
}

const one = constantModel([[0, 0, 10, 10, 0.9, 0]], { width: 64, height: 32 });

test("sessions: onnxruntime-node is preferred if it is installed", async () => {
  const file = await write("preferred.onnx", one);
  const { calls, ...standIn } = runtimeStandIn();
  // A CommonJS package and an ES module.
  for (const loaded of [{ default: standIn.package }, standIn.package]) {
    const session = await openSession(file, () => Promise.resolve(loaded));
    expect(session.runtime).toBe("onnxruntime-node 1.2.3");
    const input = new Float32Array(3 * 64 * 32);
    const [output] = await session.run(input, ["output0"]);
    expect(output).toEqual({ dims: [1, 1, 6], data: new Float32Array([1, 2, 3, 4, 0.5, 0]) });
    expect(calls).toMatchObject({ path: file.path, fetches: ["output0"], input: { data: input, dims: [1, 3, 32, 64] } });
  }
  expect(calls.disposed).toBe(2);
});

test("sessions: onnxruntime-web runs the model if onnxruntime-node is missing, broken or another package", async () => {
  const file = await write("fallback.onnx", one);
  const broken = () =>
    Promise.reject(Object.assign(new Error("libonnxruntime.so.1: cannot open shared object file"), { code: "ERR_DLOPEN_FAILED" }));
  for (const load of [absent, broken, () => Promise.resolve({ default: {} })]) {
    const session = await openSession(file, load);
    expect(session.runtime).toMatch(/^onnxruntime-web \d+\.\d+\.\d+ \(WebAssembly\)$/);
    expect((await session.run(new Float32Array(3 * 64 * 32), ["output0"]))[0]?.dims).toEqual([1, 1, 6]);
  }
});

test("sessions: a model that neither can load is refused with the operator and the fix", async () => {
  const unknown = onnxModel({
    nodes: [{ op: "NobodyKnowsThis", inputs: ["images"], outputs: ["output0"] }],
    outputs: { output0: [1, 84, 8_400] },
  });
  const file = await write("refused.onnx", unknown);
  await expect(openSession(file, absent)).rejects.toThrow(
    /refused\.onnx cannot be used: onnxruntime-web cannot load it: .*NobodyKnowsThis.*; export/s,
  );
  await expect(openSession(file, () => Promise.resolve(runtimeStandIn().package))).rejects.toThrow(
    /refused\.onnx cannot be used: onnxruntime-node cannot load it: .*SomeOp.*; export/s,
  );
});

/** Numbers that look like weights. */
const weights = (count: number, size = 0.3) => Float32Array.from({ length: count }, (_, index) => Math.sin(index * 12.9898) * size);
const shape = (...values: number[]) => ({ dims: [values.length], kind: "int64" as const, values });

/** The last layers of YOLOv8 to v11 as their exporter writes them: distributions of distances become boxes. */
const headOfVersion8: Graph = {
  input: { dims: [1, 3, 32, 32] },
  nodes: [
    { op: "Conv", inputs: ["images", "w"], outputs: ["c"], attributes: { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] } },
    { op: "Sigmoid", inputs: ["c"], outputs: ["s"] },
    { op: "Mul", inputs: ["c", "s"], outputs: ["silu"] },
    { op: "MaxPool", inputs: ["silu"], outputs: ["pool"], attributes: { kernel_shape: [5, 5], pads: [2, 2, 2, 2], strides: [1, 1] } },
    { op: "Add", inputs: ["silu", "pool"], outputs: ["sum"] },
    { op: "Reshape", inputs: ["sum", "flat"], outputs: ["r"] },
    { op: "Split", inputs: ["r", "parts"], outputs: ["box", "cls"], attributes: { axis: 1 } },
    { op: "Reshape", inputs: ["box", "four"], outputs: ["b4"] },
    { op: "Transpose", inputs: ["b4"], outputs: ["bt"], attributes: { perm: [0, 2, 1, 3] } },
    { op: "Softmax", inputs: ["bt"], outputs: ["sm"], attributes: { axis: 1 } },
    { op: "Conv", inputs: ["sm", "bins"], outputs: ["d"], attributes: { kernel_shape: [1, 1] } },
    { op: "Reshape", inputs: ["d", "dist_shape"], outputs: ["dist"] },
    { op: "Slice", inputs: ["dist", "n0", "n2", "n1"], outputs: ["lt"] },
    { op: "Slice", inputs: ["dist", "n2", "n4", "n1"], outputs: ["rb"] },
    { op: "Sub", inputs: ["anchors", "lt"], outputs: ["x1"] },
    { op: "Add", inputs: ["anchors", "rb"], outputs: ["x2"] },
    { op: "Add", inputs: ["x1", "x2"], outputs: ["both"] },
    { op: "Div", inputs: ["both", "two"], outputs: ["middle"] },
    { op: "Sub", inputs: ["x2", "x1"], outputs: ["size"] },
    { op: "Concat", inputs: ["middle", "size"], outputs: ["boxes"], attributes: { axis: 1 } },
    { op: "Mul", inputs: ["boxes", "strides"], outputs: ["scaled"] },
    { op: "Sigmoid", inputs: ["cls"], outputs: ["scores"] },
    { op: "Concat", inputs: ["scaled", "scores"], outputs: ["output0"], attributes: { axis: 1 } },
  ],
  constants: {
    w: { dims: [66, 3, 3, 3], values: weights(66 * 27) },
    ...{ flat: shape(1, 66, -1), parts: shape(64, 2), four: shape(1, 4, 16, 256), dist_shape: shape(1, 4, 256) },
    ...{ n0: shape(0), n1: shape(1), n2: shape(2), n4: shape(4) },
    bins: { dims: [1, 16, 1, 1], values: [...Array(16).keys()] },
    anchors: {
      dims: [1, 2, 256],
      values: Float32Array.from({ length: 512 }, (_, i) => (i < 256 ? (i % 16) + 0.5 : Math.floor((i - 256) / 16) + 0.5)),
    },
    two: { dims: [], values: [2] },
    strides: { dims: [1, 256], values: new Float32Array(256).fill(2) },
  },
  outputs: { output0: [1, 6, 256] },
  metadata: { names: "{0: 'person', 1: 'car'}" },
  opset: 17,
};

test("sessions: onnxruntime-web supports the operators of YOLOv8 and later, and decodes their distances correctly", async () => {
  const session = await openWebSession(await write("v8.onnx", onnxModel(headOfVersion8)));
  // An empty grey picture: without a bias each distribution is even, 7.5 cells to each side.
  const [output] = await session.run(new Float32Array(3 * 32 * 32), ["output0"]);
  expect(output?.dims).toEqual([1, 6, 256]);
  const row = (index: number) => [0, 1, 2, 3, 4, 5].map((column) => output?.data[column * 256 + index] ?? Number.NaN);
  for (const [index, [x, y]] of [
    [0, [1, 1]],
    [17, [3, 3]],
    [255, [31, 31]],
  ] as const) {
    for (const [column, expected] of [x, y, 30, 30, 0.5, 0.5].entries()) expect(row(index)[column]).toBeCloseTo(expected, 3);
  }
});

describe.runIf(installed !== undefined)("sessions with the real onnxruntime-node", () => {
  test("sessions: both libraries give the same numbers", async () => {
    const file = await write("same.onnx", onnxModel(headOfVersion8));
    const input = weights(3 * 32 * 32, 1);
    const [theirs] = await (await openOnnxRuntimeSession(installed as NonNullable<typeof installed>, file)).run(input, ["output0"]);
    const [ours] = await (await openWebSession(file)).run(input, ["output0"]);
    expect(ours?.dims).toEqual(theirs?.dims);
    const apart = ours?.data.map((value, index) => Math.abs(value - (theirs?.data[index] ?? Number.NaN)));
    expect(Math.max(...(apart ?? [Number.NaN]))).toBeLessThan(1e-3);
  });

  test("sessions: onnxruntime-node runs the model", async () => {
    const session = await openSession(await write("real.onnx", one));
    expect(session.runtime).toMatch(/^onnxruntime-node \d+\.\d+/);
    expect((await session.run(new Float32Array(3 * 64 * 32), ["output0"]))[0]?.dims).toEqual([1, 1, 6]);
  });
});
