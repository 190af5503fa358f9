/** A small writer of ONNX files, for graphs with known answers. */

export type Dimension = number | string;

export interface Tensor {
  readonly dims: readonly number[];
  /** `float` by default. */
  readonly kind?: "float" | "int64";
  readonly values: readonly number[] | Float32Array;
}

export interface Node {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** A number is an integer attribute; write a float as `{ float: 1.5 }`. */
  readonly attributes?: Readonly<Record<string, number | string | readonly number[] | Tensor | { readonly float: number }>>;
}

export interface Graph {
  readonly input?: { readonly name?: string; readonly dims: readonly Dimension[]; readonly elementType?: number };
  readonly nodes: readonly Node[];
  readonly constants?: Readonly<Record<string, Tensor>>;
  readonly outputs: Readonly<Record<string, readonly Dimension[]>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly opset?: number;
}

const float = 1;
const int64 = 7;

/** Returns the bytes of an ONNX file with this graph. The default input is `images`, [1, 3, 640, 640] floats. */
export function onnxModel({ input, nodes, constants = {}, outputs, metadata = {}, opset = 12 }: Graph): Buffer {
  const graph = [
    ...nodes.map((each, index) => bytes(1, node(each, index))),
    text(2, "test"),
    ...Object.entries(constants).map(([name, value]) => bytes(5, tensor(value, name))),
    bytes(11, valueInfo(input?.name ?? "images", input?.dims ?? [1, 3, 640, 640], input?.elementType ?? float)),
    ...Object.entries(outputs).map(([name, dims]) => bytes(12, valueInfo(name, dims, float))),
  ];
  return Buffer.concat([
    varint(1, 7),
    text(2, "homesec tests"),
    bytes(7, Buffer.concat(graph)),
    bytes(8, Buffer.concat([text(1, ""), varint(2, opset)])),
    ...Object.entries(metadata).map(([key, value]) => bytes(14, Buffer.concat([text(1, key), text(2, value)]))),
  ]);
}

function node({ op, inputs, outputs, attributes = {} }: Node, index: number): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(3, `${op}_${index}`),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, Buffer.concat([text(1, name), attribute(value)]))),
  ]);
}

function attribute(value: NonNullable<Node["attributes"]>[string]): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(3, value), varint(20, 2)]);
  if (typeof value === "string") return Buffer.concat([text(4, value), varint(20, 3)]);
  if (Array.isArray(value)) return Buffer.concat([...value.map((each: number) => varint(8, each)), varint(20, 7)]);
  if ("float" in value) return Buffer.concat([tag(2, 5), floats([value.float]), varint(20, 1)]);
  return Buffer.concat([bytes(5, tensor(value as Tensor, "")), varint(20, 4)]);
}

function tensor({ dims, kind = "float", values }: Tensor, name: string): Buffer {
  const raw = kind === "float" ? floats(values) : integers(values);
  return Buffer.concat([...dims.map((size) => varint(1, size)), varint(2, kind === "float" ? float : int64), text(8, name), bytes(9, raw)]);
}

function valueInfo(name: string, dims: readonly Dimension[], elementType: number): Buffer {
  const shape = dims.map((size) => bytes(1, typeof size === "number" ? varint(1, size) : text(2, size)));
  return Buffer.concat([text(1, name), bytes(2, bytes(1, Buffer.concat([varint(1, elementType), bytes(2, Buffer.concat(shape))])))]);
}

function floats(values: readonly number[] | Float32Array): Buffer {
  return Buffer.from(new Float32Array(values).buffer);
}

function integers(values: readonly number[] | Float32Array): Buffer {
  return Buffer.from(new BigInt64Array(Array.from(values, BigInt)).buffer);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([tag(field, 2), number(BigInt(value.length)), value]);
}

function varint(field: number, value: number): Buffer {
  return Buffer.concat([tag(field, 0), number(BigInt.asUintN(64, BigInt(value)))]);
}

function tag(field: number, wireType: number): Buffer {
  return number(BigInt((field << 3) | wireType));
}

function number(value: bigint): Buffer {
  const parts: number[] = [];
  let rest = value;
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    parts.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(parts);
}
