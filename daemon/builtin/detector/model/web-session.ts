import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { packageRoot } from "../../../../src/base/version.ts";
import { logErrors, type OnnxRuntime, sessionOf } from "./onnxruntime-session.ts";
import type { Session, SessionFile } from "./open-session.ts";

interface WebRuntime extends OnnxRuntime {
  readonly env: OnnxRuntime["env"] & { readonly wasm: { numThreads: number; wasmPaths: string } };
}

/** More threads than this bring little for one picture, and leave nothing to the rest of the machine. */
const mostThreads = 4;

/** Folder of the bundled models and of the runtime. */
export const modelsFolder = join(packageRoot(), "models");

let loading: Promise<WebRuntime> | undefined;

/**
 * Opens a session that runs the model in onnxruntime-web, which is compiled to WebAssembly and part of homesec. Throws the library's error if
 * it cannot run the model. The first call sets the number of threads for all.
 */
export async function openWebSession(file: SessionFile, threads = Math.min(mostThreads, availableParallelism())): Promise<Session> {
  loading ??= load(threads);
  const runtime = await loading;
  const session = await runtime.InferenceSession.create(await readFile(file.path), {
    executionProviders: ["wasm"],
    logSeverityLevel: logErrors,
    // Threads that wait in a loop would take the processor from homesec and its database.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  });
  return sessionOf(runtime, session, file, `onnxruntime-web ${runtime.env.versions["web"] ?? ""} (WebAssembly)`);
}

async function load(threads: number): Promise<WebRuntime> {
  // V8 would optimise far more functions than a model uses often. With this budget, which is 100 times the usual one, the first 12 pictures
  // take a third of the processor time, and loading takes half of the memory. Later pictures are as fast.
  setFlagsFromString("--wasm-tiering-budget=200000000");
  const folder = pathToFileURL(join(modelsFolder, "runtime/")).href;
  const runtime = (await import(`${folder}ort.mjs`)) as WebRuntime;
  runtime.env.wasm.numThreads = threads;
  runtime.env.wasm.wasmPaths = folder;
  return runtime;
}
