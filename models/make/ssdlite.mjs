import { keepOutputs, LayerList } from "./layers.mjs";
import { constant, node, onnxFile } from "./onnx-writer.mjs";

/** COCO's numbers of the nine classes that homesec counts, in the order of the model's scores. Class 0 is the background. */
export const classes = { person: 1, bicycle: 2, car: 3, motorcycle: 4, bus: 6, truck: 8, bird: 16, cat: 17, dog: 18 };
const allClasses = 91;
const boxSize = 4;
/** The layer that the finest of the six feature maps and all layers behind it read. */
const features = { node: "FeatureExtractor/MobilenetV2/expanded_conv_13/expand/Relu6", channels: 576 };

/**
 * Returns two ONNX files of SSDlite with MobileNetV2 from its TensorFlow.js graph. `near` has the input `image`, [pictures, 3, height, width], RGB
 * from -1 to 1, at any size, and finds small objects. `far` has the output `features` of `near` as its input, and finds the others. Outputs,
 * with one row per anchor: `boxes` as SSD encodings, and `scores` of `classes` from 0 to 1. The weights are stored in half precision.
 */
export function ssdliteFiles(graph) {
  const image = { value: "image", channels: 3 };
  const near = new LayerList(graph, "Preprocessor/sub", image);
  const between = near.add(features.node);
  const far = new LayerList(graph, features.node, { value: "features", channels: features.channels });
  return { near: partFile("near", near, image, [0], between.value), far: partFile("far", far, far.add(features.node), [1, 2, 3, 4, 5]) };
}

/** Returns the file of a part of the model with the heads of these feature maps. `between` is the value that the other part reads. */
function partFile(name, list, input, featureMaps, between) {
  const numbers = Object.values(classes);
  const heads = featureMaps.map((index) => {
    const box = list.add(`BoxPredictor_${index}/BoxEncodingPredictor/BiasAdd`);
    const score = list.add(`BoxPredictor_${index}/ClassPredictor/BiasAdd`);
    const anchors = score.channels / allClasses;
    const kept = Array.from({ length: anchors }, (_, anchor) => numbers.map((id) => anchor * allClasses + id)).flat();
    keepOutputs(score.convolution, kept);
    return { box: box.value, score: score.value };
  });
  const constants = [constant("zero", "float", [], new Float32Array([0])), constant("six", "float", [], new Float32Array([6]))];
  const values = (kind) => heads.map((head) => head[kind]);
  const nodes = [
    ...list.layers.flatMap((layer, index) => layerNodes(layer, index, constants)),
    ...joined("boxes", boxSize, values("box"), constants),
    ...joined("logits", numbers.length, values("score"), constants),
    node("Sigmoid", ["logits"], ["scores"]),
    ...(between === undefined ? [] : [node("Identity", [between], ["features"])]),
  ];
  return onnxFile({
    name: `ssdlite_mobilenet_v2_${name}`,
    nodes,
    constants,
    input: { name: input.value, dims: ["pictures", input.channels, "height", "width"] },
    outputs: [
      { name: "boxes", dims: ["pictures", "anchors", boxSize] },
      { name: "scores", dims: ["pictures", "anchors", numbers.length] },
      ...(between === undefined ? [] : [{ name: "features", dims: ["pictures", features.channels, "rows", "columns"] }]),
    ],
    metadata: { names: Object.keys(classes).join(",") },
  });
}

function layerNodes(layer, index, constants) {
  if (layer.kind === "sum") return [node("Add", layer.inputs, [layer.name])];
  if (layer.kind === "clip") return [node("Clip", [layer.input, "zero", "six"], [layer.name])];
  const { kernel, stride, groups, shape, weights, bias } = layer;
  constants.push(constant(`half${index}`, "float16", shape, weights), constant(`bias${index}`, "float", [bias.length], bias));
  // The runtime turns the half-precision weights into floats once, when it loads the model.
  return [
    node("Cast", [`half${index}`], [`weights${index}`], { to: 1 }),
    node("Conv", [layer.input, `weights${index}`, `bias${index}`], [layer.name], {
      kernel_shape: kernel,
      strides: [stride, stride],
      auto_pad: "SAME_UPPER",
      group: groups,
    }),
  ];
}

/** Joins the values of all feature maps to one list with a row per anchor. */
function joined(output, columns, values, constants) {
  constants.push(constant(`${output}_shape`, "int64", [3], [0, -1, columns]));
  const rows = values.flatMap((value, index) => [
    node("Transpose", [value], [`${output}_last${index}`], { perm: [0, 2, 3, 1] }),
    node("Reshape", [`${output}_last${index}`, `${output}_shape`], [`${output}_rows${index}`]),
  ]);
  return [
    ...rows,
    node(
      "Concat",
      values.map((_, index) => `${output}_rows${index}`),
      [output],
      { axis: 1 },
    ),
  ];
}
