import { type ByteSource, type Field, fieldsOf, Malformed, textOf } from "./protobuf.ts";

/** The size along each axis; undefined if the model accepts any. */
export type Dimensions = readonly (number | undefined)[];

export interface TensorInfo {
  readonly name: string;
  /** ONNX's number for the type of its elements. */
  readonly elementType: number;
  readonly dims: Dimensions;
}

/** The header of an ONNX file, without the weights. */
export interface OnnxHeader {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /** Notes of the exporter, such as the names of the classes. */
  readonly metadata: ReadonlyMap<string, string>;
  /** The weights are in other files beside this one. */
  readonly externalData: boolean;
}

/** The element type of 32-bit floats. */
export const float32 = 1;

// The field numbers of onnx.proto.
const model = { graph: 7, metadata: 14 } as const;
const graph = { initializer: 5, input: 11, output: 12 } as const;
const tensor = { name: 8, dataLocation: 14 } as const;
const external = 1n;

/** Reads the header of an ONNX file. Throws `Malformed` if the file is not ONNX. */
export function readOnnxHeader(source: ByteSource): OnnxHeader {
  const inputs: TensorInfo[] = [];
  const outputs: TensorInfo[] = [];
  const weights = new Set<string>();
  const metadata = new Map<string, string>();
  let externalData = false;
  let graphs = 0;
  for (const field of fieldsOf(source, 0, source.length)) {
    if (field.number === model.metadata) {
      const [key, value] = pair(source, field);
      metadata.set(key, value);
    }
    if (field.number !== model.graph) continue;
    graphs += 1;
    for (const part of fieldsOf(source, field.start, field.end)) {
      if (part.number === graph.input) inputs.push(tensorInfo(source, part));
      if (part.number === graph.output) outputs.push(tensorInfo(source, part));
      if (part.number !== graph.initializer) continue;
      for (const each of fieldsOf(source, part.start, part.end)) {
        if (each.number === tensor.name) weights.add(textOf(source, each));
        if (each.number === tensor.dataLocation && each.value === external) externalData = true;
      }
    }
  }
  if (graphs === 0) throw new Malformed("it holds no graph");
  // Old exporters list the weights among the inputs.
  return { inputs: inputs.filter(({ name }) => !weights.has(name)), outputs, metadata, externalData };
}

function pair(source: ByteSource, { start, end }: Field): [string, string] {
  const found = ["", ""] as [string, string];
  for (const field of fieldsOf(source, start, end)) {
    if (field.number === 1) found[0] = textOf(source, field);
    if (field.number === 2) found[1] = textOf(source, field);
  }
  return found;
}

/** ValueInfoProto: a name (1) and a type (2), whose tensor type (1) has an element type (1) and a shape (2) of dimensions (1). */
function tensorInfo(source: ByteSource, field: Field): TensorInfo {
  let name = "";
  let elementType = 0;
  const dims: (number | undefined)[] = [];
  for (const each of fieldsOf(source, field.start, field.end)) {
    if (each.number === 1) name = textOf(source, each);
    if (each.number !== 2) continue;
    for (const tensorType of inside(source, each, 1)) {
      for (const part of fieldsOf(source, tensorType.start, tensorType.end)) {
        if (part.number === 1) elementType = Number(part.value);
        if (part.number === 2) for (const dimension of inside(source, part, 1)) dims.push(sizeOf(source, dimension));
      }
    }
  }
  return { name, elementType, dims };
}

function* inside(source: ByteSource, { start, end }: Field, number: number): Generator<Field> {
  for (const field of fieldsOf(source, start, end)) if (field.number === number) yield field;
}

/** Returns the size of a dimension; undefined if it has only a name. */
function sizeOf(source: ByteSource, dimension: Field): number | undefined {
  for (const { value } of inside(source, dimension, 1)) return value > 0n && value < 2n ** 31n ? Number(value) : undefined;
  return undefined;
}
