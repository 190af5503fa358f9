import { parentPort } from "node:worker_threads";
import { openBundledSession } from "./model/open-session.ts";
import type { Candidate } from "./ssd/candidates.ts";
import { lookCloser, nearFile, type Pixels } from "./ssd/near-part.ts";

/** A picture to look at; `id` tells its answer from those of others. */
export interface Question {
  readonly id: number;
  readonly picture: Pixels;
}

/** The small objects of the picture of this id. */
export interface Answer {
  readonly id: number;
  readonly candidates: readonly Candidate[];
}

// This is the worker thread of the detector that looks at enlarged pictures, one after the other.
const near = await openBundledSession(nearFile);
let queue: Promise<void> = Promise.resolve();
parentPort?.on("message", ({ id, picture }: Question) => {
  // An error is not caught: it ends the thread and with it the detector, which is started again.
  queue = queue.then(async () => parentPort?.postMessage({ id, candidates: await lookCloser(near, picture) } satisfies Answer));
});
parentPort?.postMessage("ready");
