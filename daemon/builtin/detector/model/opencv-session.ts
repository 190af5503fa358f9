import { readFile } from "node:fs/promises";
import { type ModelFile, unusable } from "../../../../src/monitoring/detector-model/model-file.ts";
import { loadOpenCv, type Matrix, type Net, type OpenCv, sayingWhy } from "../opencv.ts";
import type { Output, Session } from "./session.ts";

/** Has OpenCV compiled to WebAssembly run the model. Throws `Problem` (`invalid`) for what it cannot run. */
export async function openOpenCvSession(file: ModelFile): Promise<Session> {
  if (file.externalData) {
    throw unusable(file.path, "its weights lie in other files", "export it into a single file, or install onnxruntime-node");
  }
  const bytes = await readFile(file.path);
  const { instance: cv } = await loadOpenCv();
  const net = readNet(cv, bytes);
  const mean = new cv.Scalar(0, 0, 0, 0);
  const blob = inputBlob(cv, file, mean);
  return {
    runtime: `OpenCV ${/Version control:\s*(\S+)/.exec(cv.getBuildInformation())?.[1] ?? ""} (WebAssembly)`,
    run: async (input, outputs) => {
      blob.data32F.set(input);
      return sayingWhy(cv, () => {
        net.setInput(blob, "", 1, mean);
        return outputs.map((name) => forward(net, name));
      });
    },
  };
}

/** The library reads files only: it gets one in its own memory, which is free again when the model is read. */
function readNet(cv: OpenCv, bytes: Buffer): Net {
  cv.FS_createDataFile("/", "model.onnx", bytes, true, false, false);
  try {
    return sayingWhy(cv, () => cv.readNetFromONNX("/model.onnx"));
  } finally {
    cv.FS_unlink("/model.onnx");
  }
}

/** A matrix of four dimensions is made of a picture only. */
function inputBlob(cv: OpenCv, { width, height }: ModelFile, mean: unknown): Matrix {
  const picture = new cv.Mat(height, width, cv.CV_8UC3);
  try {
    return cv.blobFromImage(picture, 1, new cv.Size(width, height), mean, false, false, cv.CV_32F);
  } finally {
    picture.delete();
  }
}

function forward(net: Net, name: string): Output {
  const answer = net.forward(name);
  try {
    return { dims: Array.from(answer.matSize), data: Float32Array.from(answer.data32F) };
  } finally {
    answer.delete();
  }
}
