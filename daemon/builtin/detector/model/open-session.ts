import { exportFix, type ModelFile, unusable } from "../../../../src/monitoring/detector-model/model-file.ts";
import { findOnnxRuntime, type Load, type OnnxRuntime, openOnnxRuntimeSession } from "./onnxruntime-session.ts";
import { openOpenCvSession } from "./opencv-session.ts";

/** One output of a model. */
export interface Output {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** A loaded model. */
export interface Session {
  /** Name and version of the library that runs it. */
  readonly runtime: string;
  /** Runs the model on `input`, [1, 3, height, width]. Returns the outputs in the requested order. The caller owns them. */
  run(input: Float32Array, outputs: readonly string[]): Promise<readonly Output[]>;
}

/** Fix for a model that OpenCV cannot run. */
export const runtimeFix = "install onnxruntime-node next to homesec, which runs nearly every model, or export it again for opset 17";

/** Loads the model with onnxruntime-node if it is installed, else with OpenCV. Throws `Problem` (`invalid`) if it cannot run. */
export async function openSession(file: ModelFile, load: Load = (name) => import(name)): Promise<Session> {
  const runtime = await tryOnnxRuntime(load);
  if (runtime) {
    return await openOnnxRuntimeSession(runtime, file).catch((error: unknown) => {
      throw unusable(file.path, `onnxruntime-node cannot load it: ${shortMessage(error)}`, `${exportFix} again`, error);
    });
  }
  return await openOpenCvSession(file).catch((error: unknown) => {
    throw error instanceof Error && error.name === "Problem"
      ? error
      : unusable(file.path, `OpenCV cannot load it: ${shortMessage(error)}`, runtimeFix, error);
  });
}

/** Logs a broken installation of onnxruntime-node and returns undefined, so that OpenCV is used instead. */
async function tryOnnxRuntime(load: Load): Promise<OnnxRuntime | undefined> {
  try {
    return await findOnnxRuntime(load);
  } catch (error) {
    process.stderr.write(`onnxruntime-node is installed but cannot be loaded, so OpenCV runs the model: ${shortMessage(error)}\n`);
    return undefined;
  }
}

/** Returns the start of an error message, without the position in the library's source. */
export function shortMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const short = text
    .replace(/OpenCV\([\d.]+\w*\) \S+:\d+: error: \([^)]*\) /, "")
    .replace(/\s+/g, " ")
    .trim();
  return short.length > 300 ? `${short.slice(0, 300)}…` : short;
}
