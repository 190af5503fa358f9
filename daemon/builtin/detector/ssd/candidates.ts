import type { ObjectType } from "../../../../src/monitoring/detector-model/class-names.ts";
import type { Corners } from "../boxes.ts";
import type { Output } from "../model/open-session.ts";
import { ssdAnchors } from "./anchors.ts";
import type { Region } from "./regions.ts";

/** An object that the model may have seen in one region. */
export interface Candidate {
  readonly type: ObjectType;
  /** 0 to 1. */
  readonly score: number;
  /** In shares of the picture. */
  readonly corners: Corners;
  readonly region: Region;
}

/** In the order of the model's scores. */
export const modelClasses: readonly ObjectType[] = ["person", "bicycle", "car", "motorcycle", "bus", "truck", "bird", "cat", "dog"];

/** The model was trained with its encodings enlarged by these factors. */
const positionFactor = 10;
const sizeFactor = 5;
const anchors = ssdAnchors();

/** Reads the model's outputs for the regions it was run on. Returns the candidates of each region that reach `minScore`. */
export function readCandidates(boxes: Output, scores: Output, regions: readonly Region[], minScore: number): readonly Candidate[][] {
  return regions.map((region, index) => {
    const found: Candidate[] = [];
    for (let anchor = 0; anchor < anchors.length; anchor += 1) {
      const row = index * anchors.length + anchor;
      for (const [column, type] of modelClasses.entries()) {
        const score = scores.data[row * modelClasses.length + column] ?? 0;
        if (score >= minScore) found.push({ type, score, corners: cornersOf(boxes.data, row, anchor, region), region });
      }
    }
    return found;
  });
}

/** Returns a box in shares of the picture. */
function cornersOf(data: Float32Array, row: number, anchor: number, region: Region): Corners {
  const { x, y, width, height } = anchors[anchor] as (typeof anchors)[number];
  const [down, right, taller, wider] = data.subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
  const middleX = x + (right / positionFactor) * width;
  const middleY = y + (down / positionFactor) * height;
  const halfWidth = (width * Math.exp(wider / sizeFactor)) / 2;
  const halfHeight = (height * Math.exp(taller / sizeFactor)) / 2;
  return {
    left: region.left + (middleX - halfWidth) * (region.right - region.left),
    right: region.left + (middleX + halfWidth) * (region.right - region.left),
    top: region.top + (middleY - halfHeight) * (region.bottom - region.top),
    bottom: region.top + (middleY + halfHeight) * (region.bottom - region.top),
  };
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
