import type { Session, SessionFile } from "./open-session.ts";

/** The part of the API of onnxruntime-node and onnxruntime-web that homesec uses. */
export interface OnnxRuntime {
  readonly env: { readonly versions: Readonly<Record<string, string | undefined>> };
  readonly InferenceSession: { create(model: string | Uint8Array, options: object): Promise<RuntimeSession> };
  readonly Tensor: new (type: "float32", data: Float32Array, dims: readonly number[]) => RuntimeTensor;
}
export interface RuntimeSession {
  run(feeds: Readonly<Record<string, RuntimeTensor>>, fetches: readonly string[]): Promise<Readonly<Record<string, RuntimeTensor>>>;
}
interface RuntimeTensor {
  readonly type: string;
  readonly data: unknown;
  readonly dims: readonly number[];
  dispose?(): void;
}

/** Imports a package by name. Tests pass a stand-in. */
export type Load = (name: string) => Promise<unknown>;

/** Log level for errors only. Users cannot act on the warnings. */
export const logErrors = 3;

/** Returns onnxruntime-node, or undefined if it is not installed. Throws if it is installed but cannot be loaded. */
export async function findOnnxRuntime(load: Load): Promise<OnnxRuntime | undefined> {
  try {
    const module = (await load("onnxruntime-node")) as { readonly default?: unknown };
    // Its exports may be under `default`, because it is a CommonJS package.
    const found = [module, module.default].find(isOnnxRuntime);
    if (found === undefined) throw new Error("it does not have the exports of onnxruntime-node");
    return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" && String(error).includes("'onnxruntime-node'")) return undefined;
    throw error;
  }
}

/** Opens a session that runs the model in onnxruntime-node. Throws the library's error if it cannot run the model. */
export async function openOnnxRuntimeSession(runtime: OnnxRuntime, file: SessionFile): Promise<Session> {
  const session = await runtime.InferenceSession.create(file.path, { executionProviders: ["cpu"], logSeverityLevel: logErrors });
  const version = runtime.env.versions["node"] ?? runtime.env.versions["common"];
  return sessionOf(runtime, session, file, `onnxruntime-node${version === undefined ? "" : ` ${version}`}`);
}

/** Makes a session of an opened one of the library. `name` is the library with its version. */
export function sessionOf({ Tensor }: OnnxRuntime, session: RuntimeSession, file: SessionFile, name: string): Session {
  return {
    runtime: name,
    run: async (input, outputs, shape = [1, 3, file.height, file.width]) => {
      const tensor = new Tensor("float32", input, shape);
      const answers = await session.run({ [file.inputName]: tensor }, outputs);
      return outputs.map((name) => {
        const answer = answers[name];
        if (!(answer?.data instanceof Float32Array)) return { dims: [], data: new Float32Array() };
        const output = { dims: Array.from(answer.dims), data: Float32Array.from(answer.data) };
        answer.dispose?.();
        return output;
      });
    },
  };
}

function isOnnxRuntime(module: unknown): module is OnnxRuntime {
  const { InferenceSession, Tensor } = (module ?? {}) as Partial<OnnxRuntime>;
  return typeof InferenceSession?.create === "function" && typeof Tensor === "function";
}
