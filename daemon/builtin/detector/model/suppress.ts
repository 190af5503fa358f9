import { iou } from "../boxes.ts";
import type { Candidate } from "./read-output.ts";

/** Two boxes of one class show the same object when they share this much of their union. */
const minIou = 0.45;
/** Maximum number of candidates to compare. The least confident ones are dropped. */
const maxCandidates = 1_000;
const maxObjects = 300;

/** Sorts by confidence, highest first, and keeps at most `limit`. */
export function mostConfident(candidates: readonly Candidate[], limit = maxObjects): Candidate[] {
  return candidates.toSorted((a, b) => b.confidence - a.confidence).slice(0, limit);
}

/** Returns one box per object: the most confident of the overlapping boxes of a class (non-maximum suppression). */
export function suppressOverlaps(candidates: readonly Candidate[]): Candidate[] {
  const selected: Candidate[] = [];
  for (const candidate of mostConfident(candidates, maxCandidates)) {
    const isDuplicate = selected.some(({ type, corners }) => type === candidate.type && iou(corners, candidate.corners) > minIou);
    if (!isDuplicate) selected.push(candidate);
    if (selected.length === maxObjects) break;
  }
  return selected;
}
