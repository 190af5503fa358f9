import { objectTypeOf } from "../../../../src/monitoring/detector-model/class-names.ts";
import { exportFix, type ModelFile, readModelFile, unusable } from "../../../../src/monitoring/detector-model/model-file.ts";
import { slowestPictureMs } from "../../../../src/monitoring/upstream/detector-pace.ts";
import { decodeColour } from "../decode.ts";
import type { Detector } from "../detector.ts";
import { describeMismatch, type Layout, layoutOf } from "./layout.ts";
import { boxInPicture, fillInput, fitInto } from "./letterbox.ts";
import type { Load } from "./onnxruntime-session.ts";
import { openSession, type Session, shortMessage } from "./open-session.ts";
import { type Candidate, InvalidScores, type ReadOptions, readOutput } from "./read-output.ts";
import { mostConfident, suppressOverlaps } from "./suppress.ts";

/**
 * Loads a custom model and runs it once on a grey picture, so that any fault shows at startup. Drops objects below `minConfidence`. Throws
 * `Problem` (`invalid`) with the reason and the fix if the model cannot be used.
 */
export async function loadOwnModel(path: string, minConfidence: number, load?: Load): Promise<Detector> {
  const file = readModelFile(path);
  const session = await openSession(file, load);
  const tensor = new Float32Array(3 * file.width * file.height);
  const { output, layout } = await testRun(file, session, tensor);
  const types = file.classNames.map(objectTypeOf);
  const options = { layout, types, minConfidence, width: file.width, height: file.height };
  const knownTypes = types.filter((type) => type !== undefined).length;
  return {
    about: {
      model: file.name,
      runtime: session.runtime,
      model_details: `${file.width} x ${file.height} pixels, ${layoutNames[layout.kind]} output, ${knownTypes} of ${types.length} classes known`,
    },
    // All pictures share the input.
    atOnce: 1,
    detect: async (bytes) => {
      const picture = await decodeColour(bytes, (width, height) => fitInto(file, { width, height }));
      fillInput(tensor, file, picture);
      const [answer] = await session.run(tensor, [output]);
      const candidates = answer ? readCandidates(file, answer.data, options) : [];
      const objects = layout.kind === "end_to_end" ? mostConfident(candidates) : suppressOverlaps(candidates);
      return {
        objects: objects.flatMap(({ type, confidence, corners }) => {
          const box = boxInPicture(corners, file, picture);
          return box ? [{ type, confidence: Math.round(confidence * 10_000) / 10_000, box }] : [];
        }),
        width: picture.fullWidth,
        height: picture.fullHeight,
      };
    },
  };
}

const layoutNames = { objectness: "YOLOv5", classes: "YOLOv8", end_to_end: "end-to-end" } as const;

/** Runs the model and finds the output that holds the boxes. */
async function testRun(
  file: ModelFile,
  session: Session,
  tensor: Float32Array,
): Promise<{ readonly output: string; readonly layout: Layout }> {
  tensor.fill(0.5);
  const run = async () => {
    const startedAt = performance.now();
    const answers = await session.run(tensor, file.outputNames).catch((error: unknown) => {
      throw cannotRun(file, session, error);
    });
    return { answers, tookMs: performance.now() - startedAt };
  };
  let { answers, tookMs } = await run();
  // The first run takes longer than all later ones.
  if (tookMs > slowestPictureMs) ({ answers, tookMs } = await run());
  const hints = { ...file, classes: file.classNames.length };
  for (const [index, { dims, data }] of answers.entries()) {
    const layout = layoutOf(dims, hints);
    const output = file.outputNames[index];
    if (!layout || output === undefined) continue;
    if (tookMs > slowestPictureMs) {
      throw unusable(file.path, `a picture takes ${Math.round(tookMs / 1_000)} s with ${session.runtime}`, slowFix(session));
    }
    readCandidates(file, data, { layout, types: [], minConfidence: 1, width: file.width, height: file.height });
    return { output, layout };
  }
  const shapes = answers.map(({ dims }) => describeMismatch(dims, hints)).join("; ");
  throw unusable(file.path, `its output ${shapes}`, `name its classes in a .names file beside it if they are missing, or ${exportFix}`);
}

function readCandidates(file: ModelFile, data: Float32Array, options: ReadOptions): Candidate[] {
  try {
    return readOutput(data, options);
  } catch (error) {
    if (!(error instanceof InvalidScores)) throw error;
    throw unusable(file.path, error.message, "export it with its last layers, which turn raw numbers into scores", error);
  }
}

function cannotRun(file: ModelFile, { runtime }: Session, error: unknown): Error {
  return unusable(file.path, `${runtime} cannot run it: ${shortMessage(error)}`, `${exportFix} again`, error);
}

function slowFix({ runtime }: Session): string {
  const faster = runtime.startsWith("onnxruntime-node") ? "" : ", or install onnxruntime-node";
  return `use a smaller model${faster}`;
}
