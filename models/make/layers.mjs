/**
 * Turns the part of a TensorFlow graph between its input and some of its nodes into a list of layers for ONNX: convolutions, clipping to 0
 * to 6, and sums. Batch normalisations, scalings and biases become part of the convolution before them. Weights change from
 * (height, width, in, out) to (out, in, height, width).
 */
export class LayerList {
  layers = [];
  #graph;
  #input;
  #inputValue;
  /** What a node became: the name of its value, its channels, and the convolution that a following scaling can be folded into. */
  #done = new Map();
  /** How many nodes read a node. A convolution that two nodes read cannot take in a scaling of one of them. */
  #readers = new Map();

  /** `input` is the node that the list begins with; `inputValue` its name in ONNX and its channels. */
  constructor(graph, input, inputValue) {
    this.#graph = graph;
    this.#input = input;
    this.#inputValue = inputValue;
    for (const { input: inputs = [] } of graph.nodes.values()) {
      for (const name of inputs) this.#readers.set(nameOf(name), (this.#readers.get(nameOf(name)) ?? 0) + 1);
    }
  }

  /** Adds the layers that compute a node, and returns its value. Throws an error for an operation that it does not know. */
  add(name) {
    const known = this.#done.get(nameOf(name));
    if (known) return known;
    const value = name === this.#input ? this.#inputValue : this.#compute(nameOf(name));
    this.#done.set(nameOf(name), value);
    return value;
  }

  #compute(name) {
    const node = this.#graph.nodes.get(name);
    switch (node?.op) {
      case "Conv2D":
      case "DepthwiseConv2dNative":
        return this.#convolution(node);
      case "FusedBatchNorm":
        return this.#batchNorm(node);
      case "Mul":
      case "Add":
      case "AddN":
      case "BiasAdd":
        return node.input.some((input) => this.#graph.weights.has(input)) ? this.#constant(node) : this.#sum(node);
      case "Relu6":
        return this.#clip(node);
      default:
        throw new Error(`the operation ${node?.op} of ${name} is not known`);
    }
  }

  #convolution(node) {
    const { value, channels } = this.add(node.input[0]);
    const { shape, values } = this.#graph.weights.get(node.input[1]);
    const depthwise = node.op !== "Conv2D";
    const stride = Number(node.attr.strides.list.i[1]);
    if (textOf(node.attr.padding) !== "SAME") throw new Error(`${node.name} has another padding than SAME`);
    const [height, width, inputs, each] = shape;
    const outputs = depthwise ? inputs * each : each;
    const convolution = {
      kind: "convolution",
      name: node.name,
      input: value,
      groups: depthwise ? channels : 1,
      stride,
      kernel: [height, width],
      shape: [outputs, depthwise ? 1 : inputs, height, width],
      weights: outputsFirst(values, height * width, depthwise ? 1 : inputs, outputs),
      bias: new Float32Array(outputs),
    };
    this.layers.push(convolution);
    return { value: node.name, channels: outputs, convolution };
  }

  #batchNorm(node) {
    const value = this.add(node.input[0]);
    const [gamma, beta, mean, variance] = node.input.slice(1).map((name) => this.#graph.weights.get(name).values);
    const epsilon = node.attr.epsilon?.f ?? 0.001;
    const factors = gamma.map((each, channel) => each / Math.sqrt(variance[channel] + epsilon));
    const { convolution } = this.#foldable(node, value, node.input[0]);
    if (!convolution) throw new Error(`${node.name} normalises a sum`);
    scale(convolution, factors);
    shift(
      convolution,
      beta.map((each, channel) => each - mean[channel] * factors[channel]),
    );
    return value;
  }

  /** Multiplication with, or addition of, one constant per channel. */
  #constant(node) {
    const at = node.input.findIndex((input) => this.#graph.weights.has(input));
    const { values } = this.#graph.weights.get(node.input[at]);
    const value = this.add(node.input[1 - at]);
    const { convolution, summand } = this.#foldable(node, value, node.input[1 - at]);
    if (node.op === "Mul" && !convolution) throw new Error(`${node.name} multiplies a sum`);
    if (node.op === "Mul") scale(convolution, values);
    else shift(convolution ?? summand, values);
    return value;
  }

  #foldable(node, value, input) {
    const only = this.#readers.get(nameOf(input)) === 1;
    if (!only || !(value.convolution ?? value.summand)) throw new Error(`${node.name} follows no convolution of its own`);
    return value;
  }

  /** What is added to a sum may as well be added to one of its parts that nothing else reads. */
  #sum(node) {
    const parts = node.input.map((input) => this.add(input));
    const own = parts.find(({ convolution }, index) => convolution && this.#readers.get(nameOf(node.input[index])) === 1);
    this.layers.push({ kind: "sum", name: node.name, inputs: parts.map(({ value }) => value) });
    return { value: node.name, channels: parts[0].channels, summand: own?.convolution };
  }

  #clip(node) {
    const { value, channels } = this.add(node.input[0]);
    this.layers.push({ kind: "clip", name: node.name, input: value });
    return { value: node.name, channels };
  }
}

/**
 * Keeps only some outputs of a convolution, such as the scores of nine of 91 classes, in the given order.
 */
export function keepOutputs(convolution, outputs) {
  const [, inputs, height, width] = convolution.shape;
  const size = inputs * height * width;
  const weights = new Float32Array(outputs.length * size);
  outputs.forEach((from, to) => {
    weights.set(convolution.weights.subarray(from * size, (from + 1) * size), to * size);
  });
  convolution.bias = Float32Array.from(outputs, (from) => convolution.bias[from]);
  convolution.weights = weights;
  convolution.shape = [outputs.length, inputs, height, width];
}

function nameOf(input) {
  return input.split(":")[0];
}

function textOf({ s }) {
  return typeof s === "string" ? Buffer.from(s, "base64").toString() : Buffer.from(s).toString();
}

/** From (positions, inputs, outputs) to (outputs, inputs, positions). */
function outputsFirst(values, positions, inputs, outputs) {
  const sorted = new Float32Array(values.length);
  for (let position = 0; position < positions; position += 1) {
    for (let input = 0; input < inputs; input += 1) {
      for (let output = 0; output < outputs; output += 1) {
        sorted[(output * inputs + input) * positions + position] = values[(position * inputs + input) * outputs + output];
      }
    }
  }
  return sorted;
}

function scale(convolution, factors) {
  const each = convolution.weights.length / factors.length;
  convolution.weights.forEach((weight, index) => {
    convolution.weights[index] = weight * factors[Math.floor(index / each)];
  });
  convolution.bias.forEach((bias, channel) => {
    convolution.bias[channel] = bias * factors[channel];
  });
}

function shift(convolution, values) {
  convolution.bias.forEach((bias, channel) => {
    convolution.bias[channel] = bias + values[channel];
  });
}
