import type { ObjectType } from "../../../../src/monitoring/detector-model/class-names.ts";
import { type Corners, iou, shareOfSmaller } from "../boxes.ts";
import type { Candidate } from "./candidates.ts";

/** Two boxes of one region show the same object if they share this much of their union. */
const sameInRegion = 0.45;
/** The same for boxes of different regions. */
const sameAcrossRegions = 0.4;
/** A box of one region that lies in a box of another by this share shows a part of the same object. */
const partOfOther = 0.75;
/** A box that ends this close to the inner edge of a tile is cut off; in shares of the picture. */
const edge = 0.006;

/** The model confuses these, so that an object would get two boxes. */
const lookalikes: Readonly<Partial<Record<ObjectType, string>>> = {
  car: "vehicle",
  truck: "vehicle",
  bus: "vehicle",
  dog: "pet",
  cat: "pet",
  bicycle: "two wheels",
  motorcycle: "two wheels",
};

/** Returns the candidates of one region, one for each object: the one with the highest score. */
export function oneEach(candidates: readonly Candidate[]): readonly Candidate[] {
  return strongestFirst(candidates, (kept, other) => iou(kept.corners, other.corners) > sameInRegion);
}

/** Merges the objects of several regions, without those that a region shows only in part. */
export function mergeRegions(regions: readonly (readonly Candidate[])[]): readonly Candidate[] {
  return strongestFirst(regions.flat().filter(isWhole), (kept, other) => {
    if (iou(kept.corners, other.corners) > sameAcrossRegions) return true;
    return kept.region !== other.region && shareOfSmaller(kept.corners, other.corners) > partOfOther;
  });
}

function strongestFirst(candidates: readonly Candidate[], isSame: (kept: Candidate, other: Candidate) => boolean): readonly Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.score - a.score)) {
    if (!kept.some((other) => kindOf(other.type) === kindOf(candidate.type) && isSame(other, candidate))) kept.push(candidate);
  }
  return kept;
}

function kindOf(type: ObjectType): string {
  return lookalikes[type] ?? type;
}

/** Whether a box does not touch an edge of its region that lies inside the picture. */
function isWhole({ corners, region }: { readonly corners: Corners; readonly region: Corners }): boolean {
  return (
    (region.left === 0 || corners.left >= region.left + edge) &&
    (region.top === 0 || corners.top >= region.top + edge) &&
    (region.right === 1 || corners.right <= region.right - edge) &&
    (region.bottom === 1 || corners.bottom <= region.bottom - edge)
  );
}
