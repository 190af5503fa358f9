import { readFile } from "node:fs/promises";
import { type ModelFile, unusable } from "../../../../src/monitoring/detector-model/model-file.ts";
import { loadOpenCv, type Matrix, type Net, type OpenCv, withErrorMessages } from "../opencv.ts";
import type { Output, Session } from "./open-session.ts";

/** Opens a session that runs the model in OpenCV, compiled to WebAssembly. Throws `Problem` (`invalid`) if OpenCV cannot run the model. */
export async function openOpenCvSession(file: ModelFile): Promise<Session> {
  if (file.externalData) {
    throw unusable(file.path, "its weights are in separate files", "export it into a single file, or install onnxruntime-node");
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
      return withErrorMessages(cv, () => {
        net.setInput(blob, "", 1, mean);
        return outputs.map((name) => forward(net, name));
      });
    },
  };
}

/** Reads the model through a temporary file in the library's own memory, because it only reads files. */
function readNet(cv: OpenCv, bytes: Buffer): Net {
  cv.FS_createDataFile("/", "model.onnx", bytes, true, false, false);
  try {
    return withErrorMessages(cv, () => cv.readNetFromONNX("/model.onnx"));
  } finally {
    cv.FS_unlink("/model.onnx");
  }
}

/** OpenCV creates a four-dimensional matrix only from a picture. */
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
