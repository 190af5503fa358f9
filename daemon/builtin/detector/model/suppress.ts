import type { Candidate, Corners } from "./read-output.ts";

/** Two boxes of one class are about the same object when this much of their union is shared. */
const sameUnion = 0.45;
/** What is weighed against each other at most; what goes beyond is the least confident. */
const mostCandidates = 1_000;
const mostObjects = 300;

/** The most confident of the boxes first, at most as many as a picture can show. */
export function mostConfident(candidates: readonly Candidate[], most = mostObjects): Candidate[] {
  return candidates.toSorted((a, b) => b.confidence - a.confidence).slice(0, most);
}

/** One box per object: the most confident of those of a class that overlap. */
export function suppressOverlaps(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of mostConfident(candidates, mostCandidates)) {
    const again = kept.some(({ type, corners }) => type === candidate.type && sharedUnion(corners, candidate.corners) > sameUnion);
    if (!again) kept.push(candidate);
    if (kept.length === mostObjects) break;
  }
  return kept;
}

/** The shared part of two boxes' union, 0 to 1. */
function sharedUnion(a: Corners, b: Corners): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (areaOf(a) + areaOf(b) - shared);
}

function areaOf({ left, top, right, bottom }: Corners): number {
  return (right - left) * (bottom - top);
}
