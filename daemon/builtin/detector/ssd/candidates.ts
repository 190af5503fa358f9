import type { ObjectType } from "../../../../src/monitoring/detector-model/class-names.ts";
import type { Corners } from "../boxes.ts";
import type { Output } from "../model/open-session.ts";
import type { Anchor } from "./anchors.ts";

/** How the model saw a picture: squeezed into a square, or enlarged along its longer side. */
export type Look = "whole" | "closer";

/** An object that the model may have seen. */
export interface Candidate {
  readonly type: ObjectType;
  /** 0 to 1. */
  readonly score: number;
  /** In shares of the picture. */
  readonly corners: Corners;
  readonly look: Look;
}

/** In the order of the model's scores. */
export const modelClasses: readonly ObjectType[] = ["person", "bicycle", "car", "motorcycle", "bus", "truck", "bird", "cat", "dog"];

/** The model was trained with its encodings enlarged by these factors. */
const positionFactor = 10;
const sizeFactor = 5;

/** Returns the objects that reach `minScore` in the outputs of the model for one picture, which have a row for each anchor. */
export function readCandidates(
  { boxes, scores }: { readonly boxes: Output; readonly scores: Output },
  anchors: readonly Anchor[],
  look: Look,
  minScore: number,
): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const [row, anchor] of anchors.entries()) {
    for (const [column, type] of modelClasses.entries()) {
      const score = scores.data[row * modelClasses.length + column] ?? 0;
      if (score >= minScore) found.push({ type, score, corners: cornersOf(boxes.data, row, anchor), look });
    }
  }
  return found;
}

/** Returns a box in shares of the picture. */
function cornersOf(data: Float32Array, row: number, { x, y, width, height }: Anchor): Corners {
  const [down, right, taller, wider] = data.subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
  const middleX = x + (right / positionFactor) * width;
  const middleY = y + (down / positionFactor) * height;
  const halfWidth = (width * Math.exp(wider / sizeFactor)) / 2;
  const halfHeight = (height * Math.exp(taller / sizeFactor)) / 2;
  return { left: middleX - halfWidth, right: middleX + halfWidth, top: middleY - halfHeight, bottom: middleY + halfHeight };
}

/**
 * Score of the model that counts as a confidence of 0.5. Measured on half of the test pictures: down to here the model finds more and is
 * wrong no more often.
 */
const evenScore = 0.45;

/** Maps a score of the model, 0 to 1, to a confidence: 0.45 becomes 0.5, with straight lines to 0 and 1. */
export function confidenceOf(score: number): number {
  const confidence = score < evenScore ? (score * 0.5) / evenScore : 1 - ((1 - score) * 0.5) / (1 - evenScore);
  return Math.round(confidence * 10_000) / 10_000;
}
