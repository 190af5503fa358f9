import { keepOutputs, LayerList } from "./layers.mjs";
import { constant, node, onnxFile } from "./onnx-writer.mjs";

/** COCO's numbers of the nine classes that homesec counts, in the order of the model's scores. Class 0 is the background. */
export const classes = { person: 1, bicycle: 2, car: 3, motorcycle: 4, bus: 6, truck: 8, bird: 16, cat: 17, dog: 18 };
const allClasses = 91;
const boxSize = 4;
/** The detector looks at six feature maps, from fine to coarse. */
const featureMaps = 6;

/**
 * Returns the ONNX file of SSDlite with MobileNetV2 from its TensorFlow.js graph. Input `image`: [pictures, 3, height, width], RGB from -1 to 1,
 * at any size. Outputs, with one row per anchor: `boxes` as SSD encodings, and `scores` of `classes` from 0 to 1. The weights are stored in
 * half precision.
 */
export function ssdliteFile(graph) {
  const list = new LayerList(graph, "Preprocessor/sub");
  const numbers = Object.values(classes);
  const heads = Array.from({ length: featureMaps }, (_, index) => {
    const box = list.add(`BoxPredictor_${index}/BoxEncodingPredictor/BiasAdd`);
    const score = list.add(`BoxPredictor_${index}/ClassPredictor/BiasAdd`);
    const anchors = score.channels / allClasses;
    const kept = Array.from({ length: anchors }, (_, anchor) => numbers.map((id) => anchor * allClasses + id)).flat();
    keepOutputs(score.convolution, kept);
    return { box: box.value, score: score.value };
  });
  const constants = [constant("zero", "float", [], new Float32Array([0])), constant("six", "float", [], new Float32Array([6]))];
  const nodes = list.layers.flatMap((layer, index) => layerNodes(layer, index, constants));
  nodes.push(
    ...joined(
      "boxes",
      boxSize,
      heads.map(({ box }) => box),
      constants,
    ),
  );
  nodes.push(
    ...joined(
      "logits",
      numbers.length,
      heads.map(({ score }) => score),
      constants,
    ),
  );
  nodes.push(node("Sigmoid", ["logits"], ["scores"]));
  return onnxFile({
    name: "ssdlite_mobilenet_v2",
    nodes,
    constants,
    input: { name: "image", dims: ["pictures", 3, "height", "width"] },
    outputs: [
      { name: "boxes", dims: ["pictures", "anchors", boxSize] },
      { name: "scores", dims: ["pictures", "anchors", numbers.length] },
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
