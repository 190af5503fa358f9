import { join } from "node:path";
import { createSemaphore } from "../../../../src/base/async/semaphore.ts";
import { pixelWithin } from "../boxes.ts";
import { type DecodedPicture, decodeColour, resizePixels } from "../decode.ts";
import type { DetectedObject, Detector } from "../detector.ts";
import { openBundledSession, type Session, type SessionFile } from "../model/open-session.ts";
import { modelsFolder } from "../model/web-session.ts";
import { coarseAnchors, fineAnchors, inputSide } from "./anchors.ts";
import { type Candidate, confidenceOf, readCandidates } from "./candidates.ts";
import { type CloserLook, openCloserLook } from "./closer-look.ts";
import { mergeLooks, oneEach } from "./merge.ts";
import { closerLength, fillInput, lookCloser, minScore, nearFile, square } from "./near-part.ts";

/** The part of the bundled model that reads what the near part made of the whole picture, and finds all other objects. */
export const farFile: SessionFile = { path: join(modelsFolder, "ssdlite-mobilenet-v2-far.onnx"), inputName: "features", ...square };

/** A candidate below this share of the picture's height is worth a closer look. */
const smallHeight = 0.25;
const input = new Float32Array(3 * inputSide * inputSide);
const anchors = { near: fineAnchors(square), far: coarseAnchors() };

/** Loads the bundled model, SSDlite with MobileNetV2, which knows homesec's nine classes (models/NOTICE.md). Throws if that fails. */
export async function loadBundledModel(minConfidence: number): Promise<Detector> {
  const near = await openBundledSession(nearFile);
  const far = await openBundledSession(farFile);
  const eyes = new Eyes(near, far, await openCloserLook(near));
  return {
    about: { model: "SSDlite MobileNetV2", runtime: near.runtime },
    // While one picture gets its closer look, the next one is seen as a whole.
    atOnce: 2,
    detect: async (bytes) => {
      const picture = await decodeColour(bytes, (width, height) =>
        width >= height ? { width: closerLength, height: inputSide } : { width: inputSide, height: closerLength },
      );
      const objects = (await eyes.find(picture)).flatMap((object) => inPixels(object, picture));
      return {
        objects: objects.filter(({ confidence }) => confidence >= minConfidence),
        width: picture.fullWidth,
        height: picture.fullHeight,
      };
    },
  };
}

/** Sees the whole picture first. If that may show small objects, takes a closer look at the picture. */
class Eyes {
  readonly #near: Session;
  readonly #far: Session;
  /** Undefined: in this thread. */
  readonly #besides: CloserLook | undefined;
  /** This thread runs the model for one picture at a time. */
  readonly #turns = createSemaphore({ max: 1 });
  /** Pictures come in bursts: if the last one needed a closer look, that of the next one starts at once. */
  #expectsSmall = false;

  constructor(near: Session, far: Session, besides: CloserLook | undefined) {
    this.#near = near;
    this.#far = far;
    this.#besides = besides;
  }

  async find(picture: DecodedPicture): Promise<readonly Candidate[]> {
    const early = this.#expectsSmall ? this.#besides?.(picture) : undefined;
    const whole = await this.#turns.run(() => this.#seeWhole(picture));
    this.#expectsSmall = whole.some(isSmall);
    if (!this.#expectsSmall) return mergeLooks([oneEach(whole)]);
    return mergeLooks([whole, await (early ?? this.#closer(picture))].map(oneEach));
  }

  #closer(picture: DecodedPicture): Promise<readonly Candidate[]> {
    return this.#besides?.(picture) ?? this.#turns.run(() => lookCloser(this.#near, picture));
  }

  async #seeWhole(picture: DecodedPicture): Promise<readonly Candidate[]> {
    fillInput(input, { pixels: await resizePixels(picture, square), ...square });
    const [boxes, scores, features] = await this.#near.run(input, ["boxes", "scores", "features"]);
    if (!(boxes && scores && features)) return [];
    const [farBoxes, farScores] = await this.#far.run(features.data, ["boxes", "scores"], features.dims);
    if (!(farBoxes && farScores)) return [];
    return [
      ...readCandidates({ boxes, scores }, anchors.near, "whole", minScore),
      ...readCandidates({ boxes: farBoxes, scores: farScores }, anchors.far, "whole", minScore),
    ];
  }
}

function isSmall({ corners }: Candidate): boolean {
  return corners.bottom - corners.top < smallHeight;
}

function inPixels({ type, score, corners }: Candidate, { fullWidth, fullHeight }: DecodedPicture): readonly DetectedObject[] {
  const x = pixelWithin(corners.left * fullWidth, fullWidth);
  const y = pixelWithin(corners.top * fullHeight, fullHeight);
  const width = pixelWithin(corners.right * fullWidth, fullWidth) - x;
  const height = pixelWithin(corners.bottom * fullHeight, fullHeight) - y;
  if (width === 0 || height === 0) return [];
  return [{ type, confidence: confidenceOf(score), box: { x, y, width, height } }];
}
