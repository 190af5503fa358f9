import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createSemaphore } from "../../../src/base/async/semaphore.ts";
import { Problem } from "../../../src/contract/problem.ts";
import { namesFilesOf } from "../../../src/monitoring/detector-model/model-file.ts";
import { type Answer, type Call, Refusal, report, serve } from "../service.ts";
import type { Detector } from "./detector.ts";
import { readPicture } from "./upload.ts";

const minConfidence = Number(process.env["DETECTOR_CONFIDENCE"] ?? 0.5);
const modelPath = process.env["DETECTOR_MODEL_PATH"];
/** Interval between checks whether the files of an unusable model have changed. */
const fileCheckMs = 2_000;

// Recorded before loading, so that a later change is noticed.
const initialFiles = modelPath === undefined ? "" : fingerprintOf(modelPath);
// Loading blocks, so it starts in a later turn of the event loop, after the server listens.
const detector = setImmediate().then(load);
let state: { readonly about: Detector["about"] } | { readonly fault: string } | undefined;
detector.then(
  async ({ about }) => {
    state = { about };
    await report({ fault: null, about });
  },
  async (error: unknown) => {
    // The service is useless without the bundled model. This error ends the process, and the parent restarts it.
    if (modelPath === undefined) throw error;
    await reportFault(modelPath, error instanceof Problem ? error.message : `The model ${modelPath} cannot be used: ${String(error)}`);
  },
);

/** Requests during loading wait here for a slot. */
const slots = detector.then(
  ({ atOnce }) => createSemaphore({ max: atOnce }),
  () => createSemaphore({ max: 1 }),
);

serve(
  {
    "GET /health": () => ({ status: 200, body: health() }),
    "POST /detect": async (call) => {
      const picture = await readPicture(call);
      return (await slots).run(async () => {
        // Between two pictures, health requests are answered and disconnected clients noticed.
        await setImmediate();
        return await detect(picture, call);
      });
    },
  },
  { loading: true },
);

/** Loads the custom model if there is one, else the bundled one. The other is never imported. */
async function load(): Promise<Detector> {
  if (modelPath === undefined) return (await import("./ssd/bundled-model.ts")).loadBundledModel(minConfidence);
  return (await import("./model/own-model.ts")).loadOwnModel(modelPath, minConfidence);
}

function health(): object {
  const device = { device: "cpu", cuda_available: false, vram_used_gb: 0 };
  if (state === undefined) return { status: "loading", model_loaded: false, ...device };
  if ("fault" in state) return { status: "unhealthy", model_loaded: false, ...device, error: state.fault };
  return { status: "healthy", model_loaded: true, ...device, ...state.about };
}

/** Answers every request with `fault`, and exits for a restart as soon as a model file changes. */
async function reportFault(path: string, fault: string): Promise<void> {
  state = { fault };
  await report({ fault });
  setInterval(() => {
    if (fingerprintOf(path) === initialFiles) return;
    process.stderr.write(`the files of ${path} have changed; restarting to load the model\n`);
    process.exit(0);
  }, fileCheckMs);
}

/** Returns a fingerprint of the model file and its class name files. It differs when a file changes, appears or disappears. */
function fingerprintOf(path: string): string {
  const stats = [path, ...namesFilesOf(path)].map((file) => {
    try {
      const { ino, size, mtimeMs, ctimeMs } = statSync(file);
      return [ino, size, mtimeMs, ctimeMs];
    } catch (error) {
      return [(error as NodeJS.ErrnoException).code];
    }
  });
  return JSON.stringify(stats);
}

async function detect(bytes: Buffer, call: Call): Promise<Answer> {
  if (call.disconnected()) throw new Refusal(499, "The client has disconnected");
  const loaded = await ready();
  const startedAt = performance.now();
  const { objects, width, height } = await loaded.detect(bytes);
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

/** Throws `Refusal` (503) when the model cannot be used. The client may retry, because the picture is not at fault. */
async function ready(): Promise<Detector> {
  try {
    return await detector;
  } catch (error) {
    throw new Refusal(503, state && "fault" in state ? state.fault : "The model cannot be used", { cause: error });
  }
}
