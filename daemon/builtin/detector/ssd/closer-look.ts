import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageRoot } from "../../../../src/base/version.ts";
import type { Answer, Question } from "../closer-look.ts";
import type { Session } from "../model/open-session.ts";
import type { Candidate } from "./candidates.ts";
import type { Pixels } from "./near-part.ts";

/** Returns the small objects of an enlarged picture. */
export type CloserLook = (picture: Pixels) => Promise<readonly Candidate[]>;

/** The worker thread. The build joins this module with others, so that a path relative to it would be wrong. */
const program = join(packageRoot(), "dist", "daemon", "builtin", "detector", "closer-look.js");

/** The thread makes hardly any objects; by default it would take 30 MB more for them. */
const resourceLimits = { maxYoungGenerationSizeMb: 2 };

/**
 * Opens the closer look on a second core, so that it takes place while this thread sees the whole picture, or the next one. Two threads for one
 * run of the model would wait for each other in a loop at each of its layers, which takes the processor from others: on a busy machine, a
 * picture took eight times as long. Returns undefined on one core, and with onnxruntime-node, which has threads itself.
 */
export async function openCloserLook(near: Session): Promise<CloserLook | undefined> {
  if (availableParallelism() === 1 || near.runtime.startsWith("onnxruntime-node")) return undefined;
  const worker = new Worker(program, { resourceLimits });
  await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  // From here on, an error in the worker ends this process, and the parent restarts it.
  worker.removeAllListeners("error");
  const waiting = new Map<number, (candidates: readonly Candidate[]) => void>();
  worker.on("message", ({ id, candidates }: Answer) => {
    waiting.get(id)?.(candidates);
    waiting.delete(id);
  });
  let last = 0;
  return ({ pixels, width, height }) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      worker.postMessage({ id: last, picture: { pixels, width, height } } satisfies Question);
    });
}
