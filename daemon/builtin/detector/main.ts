import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { Problem } from "../../../src/contract/problem.ts";
import { namesFilesOf } from "../../../src/monitoring/detector-model/model-file.ts";
import { type Answer, type Call, Refusal, report, serve } from "../service.ts";
import type { Finder } from "./finder.ts";
import { readPicture } from "./upload.ts";

const minConfidence = Number(process.env["DETECTOR_CONFIDENCE"] ?? 0.5);
const modelPath = process.env["DETECTOR_MODEL_PATH"];
/** A model that cannot be used may be put right while we run. */
const lookAgainMs = 2_000;

// before they are read: what changes from then on counts
const filesBefore = modelPath === undefined ? "" : filesOf(modelPath);
// in a later turn: loading blocks, and the server should listen by then
const finder = setImmediate().then(load);
let state: { readonly about: Finder["about"] } | { readonly fault: string } | undefined;
finder.then(
  async ({ about }) => {
    state = { about };
    await report({ fault: null, about });
  },
  async (error: unknown) => {
    // without the model that we ship it is of no use: the parent starts it again
    if (modelPath === undefined) throw error;
    await becomeFaulty(modelPath, error instanceof Problem ? error.message : `The model ${modelPath} cannot be used: ${String(error)}`);
  },
);

/** The tail of the queue: pictures are looked at one after the other, and what is asked while the model loads waits for it. */
let idle: Promise<unknown> = finder.catch(() => undefined);

serve(
  {
    "GET /health": () => ({ status: 200, body: health() }),
    "POST /detect": async (call) => {
      const picture = await readPicture(call);
      const turn = idle.then(() => look(picture, call));
      // what went wrong with one picture is told to its asker; the next one starts all the same
      idle = turn.then(
        () => setImmediate(),
        () => setImmediate(),
      );
      return turn;
    },
  },
  { loading: true },
);

/** People by OpenCV, unless the user has a model; what is not used is not loaded. */
async function load(): Promise<Finder> {
  if (modelPath === undefined) return (await import("./people.ts")).loadPeopleFinder();
  return (await import("./model/own-model.ts")).loadOwnModel(modelPath, minConfidence);
}

function health(): object {
  const device = { device: "cpu", cuda_available: false, vram_used_gb: 0 };
  if (state === undefined) return { status: "loading", model_loaded: false, ...device };
  if ("fault" in state) return { status: "unhealthy", model_loaded: false, ...device, error: state.fault };
  return { status: "healthy", model_loaded: true, ...device, ...state.about };
}

/** Says why nothing can be seen, to everybody who asks, and starts afresh as soon as one of the files is another. */
async function becomeFaulty(path: string, fault: string): Promise<void> {
  state = { fault };
  await report({ fault });
  setInterval(() => {
    if (filesOf(path) === filesBefore) return;
    process.stderr.write(`the files of ${path} have changed: the model is loaded anew\n`);
    process.exit(0);
  }, lookAgainMs);
}

/** Which files the model and the names of its classes are now: another text when one has changed, come or gone. */
function filesOf(path: string): string {
  const marks = [path, ...namesFilesOf(path)].map((file) => {
    try {
      const { ino, size, mtimeMs, ctimeMs } = statSync(file);
      return [ino, size, mtimeMs, ctimeMs];
    } catch (error) {
      return [(error as NodeJS.ErrnoException).code];
    }
  });
  return JSON.stringify(marks);
}

async function look(bytes: Buffer, call: Call): Promise<Answer> {
  if (call.gone()) throw new Refusal(499, "The asker has gone");
  const { look: find } = await ready();
  const startedAt = performance.now();
  const { objects, width, height } = await find(bytes);
  return {
    status: 200,
    body: {
      detections: objects
        .filter(({ confidence }) => confidence >= minConfidence)
        .map(({ type, confidence, box }) => ({ class: type, confidence, bbox: box })),
      inference_time_ms: Math.round((performance.now() - startedAt) * 100) / 100,
      image_width: width,
      image_height: height,
    },
  };
}

/** Throws `Refusal` (503) when the model cannot be used: the picture is no worse for it. */
async function ready(): Promise<Finder> {
  try {
    return await finder;
  } catch (error) {
    throw new Refusal(503, state && "fault" in state ? state.fault : "The model cannot be used", { cause: error });
  }
}
