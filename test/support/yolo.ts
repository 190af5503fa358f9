import type { Dimension, Graph, Node } from "./onnx.ts";
import { onnxModel } from "./onnx.ts";

/** Small models with known answers: no weights, the boxes are constants or computed from the picture. */

type Names = Readonly<Record<string, string>>;

export interface ModelOptions {
  readonly width?: number;
  readonly height?: number;
  readonly names?: readonly string[];
  readonly metadata?: Names;
  readonly input?: readonly Dimension[];
  readonly extra?: Partial<Graph>;
}

/** The metadata that Python's exporters write. */
export function pythonNames(names: readonly string[]): string {
  return `{${names.map((name, index) => `${index}: '${name}'`).join(", ")}}`;
}

/** A model that returns this answer for every picture. `rows` are the boxes; `lying` puts them into columns. */
export function constantModel(rows: readonly (readonly number[])[], options: ModelOptions & { readonly lying?: boolean } = {}): Buffer {
  const columns = rows[0]?.length ?? 0;
  const dims = options.lying ? [1, columns, rows.length] : [1, rows.length, columns];
  const values = options.lying ? Array.from({ length: columns }, (_, column) => rows.map((row) => row[column] ?? 0)).flat() : rows.flat();
  return model(
    {
      nodes: [
        { op: "ReduceMean", inputs: ["images"], outputs: ["mean"], attributes: { axes: [1, 2, 3], keepdims: 1 } },
        { op: "Reshape", inputs: ["mean", "one"], outputs: ["single"] },
        { op: "Mul", inputs: ["single", "zero"], outputs: ["nothing"] },
        { op: "Add", inputs: ["nothing", "boxes"], outputs: ["output0"] },
      ],
      constants: {
        one: { dims: [3], kind: "int64", values: [1, 1, 1] },
        zero: { dims: [1, 1, 1], values: [0] },
        boxes: { dims, values },
      },
      outputs: { output0: dims },
    },
    options,
  );
}

/**
 * A model that finds the red rectangle in a picture: one box of class 0 of two, in YOLOv8 layout. It ignores grey, black and white, and
 * without red it returns a box of size zero.
 */
export function redFinder({ width = 640, height = 640, ...options }: ModelOptions = {}): Buffer {
  const reduce = (op: string, from: string, to: string, axis: number): Node => ({
    op,
    inputs: [from],
    outputs: [to],
    attributes: { axes: [axis], keepdims: 1 },
  });
  const along = (axis: "x" | "y", across: number, lengthwise: number): Node[] => [
    reduce("ReduceMax", "red", `profile_${axis}`, across),
    reduce("ReduceSum", `profile_${axis}`, `size_${axis}`, lengthwise),
    { op: "Mul", inputs: [`profile_${axis}`, `ruler_${axis}`], outputs: [`weighed_${axis}`] },
    reduce("ReduceSum", `weighed_${axis}`, `moment_${axis}`, lengthwise),
    { op: "Add", inputs: [`size_${axis}`, "tiny"], outputs: [`safe_${axis}`] },
    { op: "Div", inputs: [`moment_${axis}`, `safe_${axis}`], outputs: [`middle_${axis}`] },
  ];
  const ruler = (length: number): number[] => Array.from({ length }, (_, index) => index + 0.5);
  return model(
    {
      nodes: [
        { op: "Conv", inputs: ["images", "red_without_blue"], outputs: ["difference"], attributes: { kernel_shape: [1, 1] } },
        { op: "Relu", inputs: ["difference"], outputs: ["red"] },
        ...along("x", 2, 3),
        ...along("y", 3, 2),
        { op: "Concat", inputs: ["middle_x", "middle_y", "size_x", "size_y", "scores"], outputs: ["row"], attributes: { axis: 3 } },
        { op: "Reshape", inputs: ["row", "shape"], outputs: ["output0"] },
      ],
      constants: {
        red_without_blue: { dims: [1, 3, 1, 1], values: [1, 0, -1] },
        ruler_x: { dims: [1, 1, 1, width], values: ruler(width) },
        ruler_y: { dims: [1, 1, height, 1], values: ruler(height) },
        tiny: { dims: [1, 1, 1, 1], values: [1e-6] },
        scores: { dims: [1, 1, 1, 2], values: [0.9, 0.1] },
        shape: { dims: [3], kind: "int64", values: [1, 6, 1] },
      },
      outputs: { output0: [1, 6, 1] },
    },
    { width, height, names: ["person", "car"], ...options },
  );
}

function model(graph: Graph, { width = 640, height = 640, names, metadata = {}, input, extra = {} }: ModelOptions): Buffer {
  return onnxModel({
    input: { dims: input ?? [1, 3, height, width] },
    ...graph,
    metadata: { ...(names && { names: pythonNames(names) }), ...metadata },
    ...extra,
  });
}
