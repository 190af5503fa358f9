// Writes ONNX files: the few messages of onnx.proto3 that a convolutional network needs, as protocol buffers.

const types = { float: 1, int64: 7, float16: 10 };

function varint(number) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(number));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);

function bytes(field, value) {
  const content = typeof value === "string" ? Buffer.from(value) : Buffer.isBuffer(value) ? value : Buffer.concat(value);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

/** An attribute of a node: a whole number, or a list of them. */
function attribute(name, value) {
  const [content, type] = Array.isArray(value) ? [value.map((each) => number(8, each)), 7] : [[number(3, value)], 2];
  return bytes(5, [bytes(1, name), ...content, number(20, type)]);
}

/** Text as attribute. */
function textAttribute(name, value) {
  return bytes(5, [bytes(1, name), bytes(4, value), number(20, 3)]);
}

/** A node of the graph. */
export function node(op, inputs, outputs, attributes = {}) {
  const listed = Object.entries(attributes).map(([name, value]) =>
    typeof value === "string" ? textAttribute(name, value) : attribute(name, value),
  );
  return bytes(1, [...inputs.map((name) => bytes(1, name)), ...outputs.map((name) => bytes(2, name)), bytes(4, op), ...listed]);
}

/** Constant values: `float` from a Float32Array, `float16` from the same, rounded, or `int64` from numbers. */
export function constant(name, type, dims, values) {
  const content =
    type === "float"
      ? Buffer.from(values.buffer, values.byteOffset, values.byteLength)
      : type === "float16"
        ? Buffer.from(Uint16Array.from(values, toHalf).buffer)
        : Buffer.from(BigInt64Array.from(values, BigInt).buffer);
  return bytes(5, [...dims.map((size) => number(1, size)), number(2, types[type]), bytes(8, name), bytes(9, content)]);
}

/** The name and shape of an input (field 11) or output (field 12). A size that is a text stays open. */
function described(field, { name, dims }) {
  const shape = dims.map((size) => bytes(1, [typeof size === "string" ? bytes(2, size) : number(1, size)]));
  return bytes(field, [bytes(1, name), bytes(2, [bytes(1, [number(1, types.float), bytes(2, shape)])])]);
}

/** Returns the bytes of a model with opset 17. `metadata` are texts by name. */
export function onnxFile({ name, nodes, constants, input, outputs, metadata }) {
  const graph = [...nodes, bytes(2, name), ...constants, described(11, input), ...outputs.map((output) => described(12, output))];
  const texts = Object.entries(metadata).map(([key, value]) => bytes(14, [bytes(1, key), bytes(2, value)]));
  return Buffer.concat([number(1, 8), bytes(2, "homesec"), bytes(7, graph), bytes(8, [number(2, 17)]), ...texts]);
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The nearest number of half precision, as its 16 bits. Numbers beyond its range become its largest. */
export function toHalf(value) {
  float[0] = value;
  const sign = (bits[0] >>> 16) & 0x8000;
  const magnitude = Math.abs(float[0]);
  if (magnitude >= 65_504) return sign | 0x7bff;
  // Below 2^-14 the steps are even.
  if (magnitude < 2 ** -14) return sign | roundToEven(magnitude * 2 ** 24);
  const exponent = Math.floor(Math.log2(magnitude));
  const fraction = roundToEven((magnitude / 2 ** exponent - 1) * 1_024);
  return sign | (((exponent + 15) << 10) + fraction);
}

function roundToEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}
