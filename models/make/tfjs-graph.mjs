import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Bytes of one value, by the type names of TensorFlow.js. */
const arrays = { float32: Float32Array, int32: Int32Array };

/**
 * Reads a graph model of TensorFlow.js: its nodes by name, and its weights by name with shape and values. `path` is `model.json`, with the
 * weights in the files that it names. Throws an error for a type of weights that it does not know.
 */
export function readTfjsGraph(path) {
  const { modelTopology, weightsManifest } = JSON.parse(readFileSync(path, "utf8"));
  const nodes = new Map(modelTopology.node.map((node) => [node.name, node]));
  const weights = new Map();
  for (const { paths, weights: described } of weightsManifest) {
    const bytes = Buffer.concat(paths.map((name) => readFileSync(join(dirname(path), name))));
    let offset = 0;
    for (const { name, shape, dtype } of described) {
      const Values = arrays[dtype];
      if (!Values) throw new Error(`${path}: the weights ${name} are ${dtype}, and only float32 and int32 are known`);
      const length = shape.reduce((product, size) => product * size, 1);
      const values = new Values(bytes.buffer.slice(bytes.byteOffset + offset, bytes.byteOffset + offset + 4 * length));
      weights.set(name, { shape, values });
      offset += 4 * length;
    }
  }
  return { nodes, weights };
}
