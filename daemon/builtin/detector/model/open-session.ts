import { type ModelFile, remedyExport, unusable } from "../../../../src/monitoring/detector-model/model-file.ts";
import { findOnnxRuntime, type Load, type OnnxRuntime, openOnnxRuntimeSession } from "./onnxruntime-session.ts";
import { openOpenCvSession } from "./opencv-session.ts";
import type { Session } from "./session.ts";

/** Fix for a model that OpenCV cannot run. */
export const runtimeRemedy = "install onnxruntime-node next to homesec, which runs nearly every model, or export it again for opset 17";

/** Loads the model with onnxruntime-node if it is installed, else with OpenCV. Throws `Problem` (`invalid`) if it cannot run. */
export async function openSession(file: ModelFile, load: Load = (name) => import(name)): Promise<Session> {
  const runtime = await tryToFind(load);
  if (runtime) {
    return await openOnnxRuntimeSession(runtime, file).catch((error: unknown) => {
      throw unusable(file.path, `onnxruntime-node cannot load it: ${wordsOf(error)}`, `${remedyExport} again`, error);
    });
  }
  return await openOpenCvSession(file).catch((error: unknown) => {
    throw error instanceof Error && error.name === "Problem"
      ? error
      : unusable(file.path, `OpenCV cannot load it: ${wordsOf(error)}`, runtimeRemedy, error);
  });
}

/** Logs a broken installation of onnxruntime-node and returns undefined, so that OpenCV is used instead. */
async function tryToFind(load: Load): Promise<OnnxRuntime | undefined> {
  try {
    return await findOnnxRuntime(load);
  } catch (error) {
    process.stderr.write(`onnxruntime-node is installed but cannot be loaded, so OpenCV runs the model: ${wordsOf(error)}\n`);
    return undefined;
  }
}

/** Returns the start of an error message, without the position in the library's source. */
export function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const short = text
    .replace(/OpenCV\([\d.]+\w*\) \S+:\d+: error: \([^)]*\) /, "")
    .replace(/\s+/g, " ")
    .trim();
  return short.length > 300 ? `${short.slice(0, 300)}…` : short;
}
