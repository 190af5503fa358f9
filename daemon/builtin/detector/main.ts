import { setImmediate } from "node:timers/promises";
import { type Answer, type Call, Refusal, serve } from "../service.ts";
import { decode } from "./decode.ts";
import { loadPeopleFinder } from "./people.ts";
import { readPicture } from "./upload.ts";

const minConfidence = Number(process.env["DETECTOR_CONFIDENCE"] ?? 0.5);

// in a later turn: loading blocks, and the server should listen by then
const finder = setImmediate().then(loadPeopleFinder);
let loaded = false;
finder.then(
  () => {
    loaded = true;
  },
  (error: unknown) => {
    // without its model it is of no use: the parent starts it again
    throw error;
  },
);

/** The tail of the queue: pictures are looked at one after the other, and what is asked while the model loads waits for it. */
let idle: Promise<unknown> = finder;

serve({
  "GET /health": () => ({
    status: 200,
    body: { status: loaded ? "healthy" : "loading", model_loaded: loaded, device: "cpu", cuda_available: false, vram_used_gb: 0 },
  }),
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
});

async function look(bytes: Buffer, call: Call): Promise<Answer> {
  if (call.gone()) throw new Refusal(499, "The asker has gone");
  const { find } = await finder;
  const startedAt = performance.now();
  const picture = await decode(bytes);
  const detections = find(picture)
    .filter(({ confidence }) => confidence >= minConfidence)
    .map(({ confidence, box }) => ({ class: "person", confidence, bbox: box }));
  return {
    status: 200,
    body: {
      detections,
      inference_time_ms: Math.round((performance.now() - startedAt) * 100) / 100,
      image_width: picture.fullWidth,
      image_height: picture.fullHeight,
    },
  };
}
