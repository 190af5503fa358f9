import { exportFix, type ModelFile, unusable } from "../../../../src/monitoring/detector-model/model-file.ts";
import { findOnnxRuntime, type Load, type OnnxRuntime, openOnnxRuntimeSession } from "./onnxruntime-session.ts";
import { openWebSession } from "./web-session.ts";

/** One output of a model. */
export interface Output {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** A loaded model. */
export interface Session {
  /** Name and version of the library that runs it. */
  readonly runtime: string;
  /**
   * Runs the model on `input`, [1, 3, height, width]. Returns the outputs in the requested
   * order. The caller owns them. `shape` replaces that of the input.
   */
  run(input: Float32Array, outputs: readonly string[], shape?: readonly number[]): Promise<readonly Output[]>;
}

/** The part of a model's description that a session needs. */
export type SessionFile = Pick<ModelFile, "path" | "width" | "height" | "inputName">;

/** Loads a user's model with onnxruntime-node if it is installed, else with onnxruntime-web. Throws `Problem` (`invalid`) if it cannot run. */
export async function openSession(file: ModelFile, load: Load = importPackage): Promise<Session> {
  const runtime = await tryOnnxRuntime(load);
  if (!runtime && file.externalData) {
    throw unusable(file.path, "its weights are in separate files", "export it into a single file, or install onnxruntime-node");
  }
  const name = runtime ? "onnxruntime-node" : "onnxruntime-web";
  return await (runtime ? openOnnxRuntimeSession(runtime, file) : openWebSession(file)).catch((error: unknown) => {
    throw unusable(file.path, `${name} cannot load it: ${shortMessage(error)}`, `${exportFix} again`, error);
  });
}

/** Loads a part of the bundled model with onnxruntime-node if it is installed, else with onnxruntime-web in one thread. Throws the error of the library. */
export async function openBundledSession(file: SessionFile, load: Load = importPackage): Promise<Session> {
  const runtime = await tryOnnxRuntime(load);
  return await (runtime ? openOnnxRuntimeSession(runtime, file) : openWebSession(file, 1));
}

const importPackage: Load = (name) => import(name);

/** Logs a broken installation of onnxruntime-node and returns undefined, so that onnxruntime-web is used instead. */
async function tryOnnxRuntime(load: Load): Promise<OnnxRuntime | undefined> {
  try {
    return await findOnnxRuntime(load);
  } catch (error) {
    const reason = shortMessage(error);
    process.stderr.write(`onnxruntime-node is installed but cannot be loaded, so onnxruntime-web runs the model: ${reason}\n`);
    return undefined;
  }
}

/** Returns the start of an error message. */
export function shortMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const short = text.replace(/\s+/g, " ").trim();
  return short.length > 300 ? `${short.slice(0, 300)}…` : short;
}
